import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';
import { presentedToken } from '../auth/cookie.ts';

/** Cookie with the position of the client's last write in the primary's write-ahead log, in bytes. */
export const WRITTEN_COOKIE = '__Host-tributary-written';

/** Seconds that a client keeps the position: a session without it reads from the primary. */
const MAX_AGE_SECONDS = 30 * 86_400;

/** Value while a write is under way, and if its position is not known. */
const UNKNOWN = 'unknown';

/** Seconds that the primary answers a client without a session whose last write has no known position. */
const UNKNOWN_SECONDS = 60;

/** Format of a position. */
const POSITION = /^\d{1,20}$/;

/** Position up to which a client's reads must contain what was written, or `everything`. */
export type Seen = bigint | 'everything';

const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'Lax' } as const;

/**
 * Position of the client's last write, as its request says; 0 for a client without a session. If it has a session or a
 * key and names no position, it does not store cookies or its last write failed: only the primary has everything.
 */
export function seenBy(c: Context): Seen {
  if (c.req.header('authorization') !== undefined) return 'everything';
  const written = getCookie(c, WRITTEN_COOKIE);
  if (written !== undefined) return POSITION.test(written) ? BigInt(written) : 'everything';
  return presentedToken(c) === undefined ? 0n : 'everything';
}

/** Lets the client read from the primary, whatever becomes of the write that begins now. */
export function markWriting(c: Context): void {
  const cookie = serialize(WRITTEN_COOKIE, UNKNOWN, { ...attributes, maxAge: UNKNOWN_SECONDS });
  c.header('set-cookie', cookie);
}

/**
 * Replaces the mark of `markWriting` by the position of the write, which is committed.
 * @param position `undefined` if it is not known: then the mark remains.
 */
export function markWritten(c: Context, position: bigint | undefined): void {
  if (position === undefined) return;
  const cookie = serialize(WRITTEN_COOKIE, String(position), {
    ...attributes,
    maxAge: MAX_AGE_SECONDS,
  });
  c.header('set-cookie', cookie);
}
