import type { Address } from '../../core/events.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import type { ActiveSession } from './session.ts';

/**
 * Requires an operator: an account that the configuration names (OPERATORS).
 * @returns its address, in lower case.
 * @throws {HttpError} FORBIDDEN for every other account.
 */
export function requireOperator(
  { operators }: Pick<AppDeps, 'operators'>,
  { address }: Pick<ActiveSession, 'address'>,
): Address {
  if (operators.includes(address)) return address;
  throw new HttpError('FORBIDDEN', `${address} is not an operator of this service.`);
}
