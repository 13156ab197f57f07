import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';

/** Name of the session cookie. Browsers accept `__Host-` only with Secure, without Domain, from this host. */
export const SESSION_COOKIE = '__Host-tributary-session';

/** Format of a token; other values are not looked up. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'Lax' } as const;

/** Token in the session cookie of a request; `undefined` if it has none of the right format. */
export function presentedToken(c: Context): string | undefined {
  const token = getCookie(c, SESSION_COOKIE);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** `Set-Cookie` header that stores a session's token in the browser until `expiresAt`. */
export function sessionCookie(token: string, now: Date, expiresAt: Date): string {
  const maxAge = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  return serialize(SESSION_COOKIE, token, { ...attributes, maxAge });
}

/** `Set-Cookie` header that deletes the session's token. */
export function endedCookie(): string {
  return serialize(SESSION_COOKIE, '', { ...attributes, maxAge: 0 });
}
