import type { Sql } from '../connection.ts';

/** Notes a fresh signature of a session's account; the one before is worth nothing any more. */
export async function saveConfirmation(
  sql: Sql,
  sessionId: string,
  tokenHash: Uint8Array,
  until: Date,
): Promise<void> {
  await sql`
    update commerce.session set confirmation_hash = ${Buffer.from(tokenHash)},
      confirmed_until = ${until.toISOString()}::timestamptz
    where id = ${sessionId}`;
}

/** Whether that token is the session's newest, and still good at `now`. */
export async function isConfirmed(
  sql: Sql,
  sessionId: string,
  tokenHash: Uint8Array,
  now: Date,
): Promise<boolean> {
  const rows = await sql`
    select 1 from commerce.session
    where id = ${sessionId} and confirmation_hash = ${Buffer.from(tokenHash)}
      and confirmed_until > ${now.toISOString()}::timestamptz`;
  return rows.length > 0;
}
