import type { Address } from '../../core/events.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';

/**
 * Requires an operator: an account that the configuration names (OPERATORS).
 * @returns its address, in lower case.
 * @throws {HttpError} FORBIDDEN for every other account.
 */
export function requireOperator(
  { operators }: Pick<AppDeps, 'operators'>,
  account: Address,
): Address {
  if (operators.includes(account)) return account;
  throw new HttpError('FORBIDDEN', `${account} is not an operator of this service.`);
}
