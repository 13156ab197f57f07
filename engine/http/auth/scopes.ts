import type { Address } from '../../core/events.ts';
import type { AppDeps } from '../deps.ts';
import { ForbiddenError } from '../errors.ts';
import type { Session } from './session.ts';

/**
 * Lets an operator pass: an account that the configuration names (OPERATORS).
 * @returns who it is, in lower case.
 * @throws {ForbiddenError} for everybody else.
 */
export function requireOperator(
  { operators }: Pick<AppDeps, 'operators'>,
  { address }: Pick<Session, 'address'>,
): Address {
  if (operators.includes(address)) return address;
  throw new ForbiddenError(`${address} is not an operator of this service.`);
}
