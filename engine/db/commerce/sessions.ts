import type { Address } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { limitTo } from '../planner.ts';
import { address, date, nullable, rowCodec, type StoredRow, text, type View } from '../row.ts';

const sessionRow = rowCodec({
  id: text,
  /** Lower case. */
  address,
  userAgent: nullable(text),
  createdAt: date,
  /** To the minute. */
  lastSeenAt: date,
  /** When it ends, whatever happens. */
  expiresAt: date,
});

/** A session as it is stored: without the token that opens it. */
export type SessionRow = View<typeof sessionRow>;

export interface NewSession {
  readonly id: string;
  /** sha-256 of the token. */
  readonly tokenHash: Uint8Array;
  readonly address: Address;
  /** 200 characters at most. */
  readonly userAgent: string | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

/** Maximum number of concurrent sessions of one account; a further one ends the oldest. */
const MAX_SESSIONS = 20;

/** Maximum number of expired sessions that a new one deletes. */
const MAX_SWEEP = 100;

/** Seconds that `last_seen_at` may be behind. */
const SEEN_SECONDS = 60;

/**
 * Begins a session, and ends the one that it takes the place of.
 * @param replacedId the session that was presented at sign-in, where there was one.
 */
export async function createSession(
  pool: Pool,
  session: NewSession,
  replacedId?: string,
): Promise<void> {
  const now = session.createdAt.toISOString();
  await pool.begin(async (sql) => {
    await sql`
      delete from commerce.session where id in (
        select id from commerce.session where expires_at <= ${now}::timestamptz
        order by expires_at ${limitTo(sql, MAX_SWEEP)} for update skip locked
      )`;
    if (replacedId !== undefined) await sql`delete from commerce.session where id = ${replacedId}`;
    await sql`
      insert into commerce.session
        (id, token_hash, address, user_agent, created_at, last_seen_at, expires_at)
      values (${session.id}, ${Buffer.from(session.tokenHash)}, ${session.address},
        ${session.userAgent}, ${now}::timestamptz, ${now}::timestamptz,
        ${session.expiresAt.toISOString()}::timestamptz)`;
    await sql`
      delete from commerce.session where id in (
        select id from commerce.session where address = ${session.address}
        order by created_at desc, id offset ${MAX_SESSIONS}
      )`;
  });
}

/**
 * The session that a token opens, where it lives at `now`; and notes that it was seen, at most once
 * a minute.
 * @param idleSeconds a session that was not seen for so long is dead.
 */
export async function openSession(
  sql: Sql,
  tokenHash: Uint8Array,
  now: Date,
  idleSeconds: number,
): Promise<SessionRow | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${sessionRow.columns(sql, 'session')} from commerce.session
    where token_hash = ${Buffer.from(tokenHash)} and ${alive(sql, now, idleSeconds)}`;
  if (row === undefined) return undefined;
  const session = sessionRow.decode(row);
  if (now.getTime() - session.lastSeenAt.getTime() >= SEEN_SECONDS * 1_000) {
    await sql`
      update commerce.session set last_seen_at = ${now.toISOString()}::timestamptz
      where id = ${session.id}`;
  }
  return session;
}

/** The living sessions of an account, newest first; there are 20 at most. */
export async function listSessions(
  sql: Sql,
  address: Address,
  now: Date,
  idleSeconds: number,
): Promise<SessionRow[]> {
  const rows = await sql<StoredRow[]>`
    select ${sessionRow.columns(sql, 'session')} from commerce.session
    where address = ${address} and ${alive(sql, now, idleSeconds)}
    order by created_at desc, id`;
  return rows.map(sessionRow.decode);
}

/**
 * Ends a session of that account.
 * @returns whether there was one.
 */
export async function endSession(sql: Sql, address: Address, id: string): Promise<boolean> {
  const rows = await sql`
    delete from commerce.session where id = ${id} and address = ${address} returning id`;
  return rows.length > 0;
}

function alive(sql: Sql, now: Date, idleSeconds: number) {
  const idleSince = new Date(now.getTime() - idleSeconds * 1_000).toISOString();
  return sql`expires_at > ${now.toISOString()}::timestamptz
    and last_seen_at > ${idleSince}::timestamptz`;
}
