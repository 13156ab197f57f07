import type { Context } from 'hono';
import { getCookie } from 'hono/cookie';
import { serialize } from 'hono/utils/cookie';

/** `__Host-`: browsers take it only with Secure, without Domain, and of this very host. */
export const SESSION_COOKIE = '__Host-tributary-session';

/** The form of a token; anything else is not looked up. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

const attributes = { path: '/', httpOnly: true, secure: true, sameSite: 'Lax' } as const;

/** The token that a request presents, where it has the form of one. */
export function presentedToken(c: Context): string | undefined {
  const token = getCookie(c, SESSION_COOKIE);
  return token !== undefined && TOKEN.test(token) ? token : undefined;
}

/** `Set-Cookie` that hands a session's token to the browser until `expiresAt`. */
export function sessionCookie(token: string, now: Date, expiresAt: Date): string {
  const maxAge = Math.floor((expiresAt.getTime() - now.getTime()) / 1_000);
  return serialize(SESSION_COOKIE, token, { ...attributes, maxAge });
}

/** `Set-Cookie` that takes the session's token away. */
export function endedCookie(): string {
  return serialize(SESSION_COOKIE, '', { ...attributes, maxAge: 0 });
}
