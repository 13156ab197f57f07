import type { Sql } from '../connection.ts';

/** Keeps a nonce of a sign-in until it is used or its time is up. */
export async function saveNonce(sql: Sql, nonce: string, expiresAt: Date): Promise<void> {
  await sql`
    insert into commerce.sign_in_nonce (slot, nonce, expires_at)
    values (nextval('commerce.sign_in_nonce_slot'), ${nonce}, ${expiresAt.toISOString()}::timestamptz)
    on conflict (slot) do update set nonce = excluded.nonce, expires_at = excluded.expires_at`;
}

/**
 * Uses a nonce: of any number of concurrent callers, one gets true.
 * @returns true if the nonce existed and had not expired.
 */
export async function useNonce(sql: Sql, nonce: string, now: Date): Promise<boolean> {
  const rows = await sql<{ alive: boolean }[]>`
    delete from commerce.sign_in_nonce where nonce = ${nonce}
    returning expires_at > ${now.toISOString()}::timestamptz as alive`;
  return rows[0]?.alive ?? false;
}
