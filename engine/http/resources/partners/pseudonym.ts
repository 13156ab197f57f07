import { createHmac } from 'node:crypto';
import type { Address } from '../../../core/events.ts';
import { BASE_32 } from '../../../core/referral-code.ts';
import type { SecretKeys } from '../../../secrets/keys.ts';

/** Characters of a pseudonym without its hyphen, of 5 bits each. */
const CHARACTERS = 8;

/**
 * Name by which a merchant can tell an account from others that hide their address, such as `K7QF-2M9X`: the first
 * 40 bits of an HMAC-SHA-256 over merchant and account. It is the same in each answer to the merchant. Another merchant
 * sees another one, and without the key of the deployment neither leads to the account.
 */
export function pseudonymOf(keys: SecretKeys, merchant: Address, account: Address): string {
  const digest = createHmac('sha256', keys.current('pseudonym'))
    .update(`${merchant}:${account}`)
    .digest();
  const bits = BigInt(`0x${digest.subarray(0, (CHARACTERS * 5) / 8).toString('hex')}`);
  const characters = Array.from(
    { length: CHARACTERS },
    (_, index) => BASE_32[Number((bits >> BigInt(5 * (CHARACTERS - 1 - index))) & 31n)],
  ).join('');
  return `${characters.slice(0, CHARACTERS / 2)}-${characters.slice(CHARACTERS / 2)}`;
}
