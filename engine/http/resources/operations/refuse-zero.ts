import { zeroAddress } from 'viem';
import type { Address } from '../../../core/events.ts';
import { unprocessable } from '../../errors.ts';

/** @throws {HttpError} UNPROCESSABLE naming the field if the account is the zero address. */
export function refuseZero(path: string, account: Address): void {
  if (account !== zeroAddress) return;
  throw unprocessable('The zero address is not an account.', [
    { path, message: 'must not be zero' },
  ]);
}
