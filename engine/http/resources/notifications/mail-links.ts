import { confirmAddress, unsubscribe } from '../../../db/commerce/mail-preferences.ts';
import { tokenHashOf } from '../../auth/token.ts';
import type { AppDeps } from '../../deps.ts';

/** Answer to a token that confirms nothing. It is the same whatever the reason is. */
export const DEAD_LINK =
  'This link does not work: it was used, is older than 24 hours, or never existed.';

/** Confirms the address to which a token was sent. @returns false if it confirms nothing. */
export async function confirmByToken(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  token: string,
): Promise<boolean> {
  return await pool.begin((sql) => confirmAddress(sql, tokenHashOf(token), new Date(clock())));
}

/** Stops all mails to the address that got a token. An unknown token changes nothing. */
export async function unsubscribeByToken(
  { pool, clock }: Pick<AppDeps, 'pool' | 'clock'>,
  token: string,
): Promise<void> {
  await pool.begin((sql) => unsubscribe(sql, token, new Date(clock())));
}
