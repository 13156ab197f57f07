import { parse, serialize } from 'hono/utils/cookie';
import { SESSION_COOKIE } from '../http/auth/cookie.ts';
import { WRITTEN_COOKIE } from '../http/replicas/written-cookie.ts';
import type { Identity } from './identity.ts';

/** Cookies that a deployment sets: its session, and the position of the client's last write. */
const COOKIES = [SESSION_COOKIE, WRITTEN_COOKIE] as const;
type CookieName = (typeof COOKIES)[number];

/** Value that such a cookie may have. */
const VALUE = /^[A-Za-z0-9_-]{1,200}$/;

/** Longest time that a cookie may be stored, seconds. */
const MAX_AGE_SECONDS = 400 * 86_400;

/**
 * Name of the cookie for the session at a deployment. Each deployment has its own, so that several sessions fit
 * on the gateway's origin, and `__Host-` keeps other hosts from setting it.
 */
export function cookieNameOf(identity: Identity): string {
  return nameAt(identity, SESSION_COOKIE);
}

function nameAt({ chainId, contractAddress }: Identity, cookie: CookieName): string {
  return `${cookie}-${chainId}-${contractAddress}`;
}

/** True if a header `Cookie` has a session at a deployment. */
export function hasSessionAt(identity: Identity, header: string | undefined): boolean {
  return valueAt(identity, SESSION_COOKIE, header) !== undefined;
}

/** Header `Cookie` for a deployment: only what it set for this client; `undefined` if that is nothing. */
export function cookieFor(identity: Identity, header: string | undefined): string | undefined {
  const own = COOKIES.flatMap((cookie) => {
    const value = valueAt(identity, cookie, header);
    return value === undefined ? [] : [`${cookie}=${value}`];
  });
  return own.length > 0 ? own.join('; ') : undefined;
}

function valueAt(
  identity: Identity,
  cookie: CookieName,
  header: string | undefined,
): string | undefined {
  const name = nameAt(identity, cookie);
  const value = header === undefined ? undefined : parse(header, name)[name];
  return value !== undefined && VALUE.test(value) ? value : undefined;
}

/**
 * Header `Set-Cookie` for the client: a cookie of a deployment under the name that it has at the gateway.
 * @returns `undefined` for any other cookie: a deployment must not set the cookies of another one.
 */
export function setCookieFrom(identity: Identity, header: string): string | undefined {
  const [pair = '', ...attributes] = header.split(';');
  const at = pair.indexOf('=');
  const cookie = COOKIES.find((name) => name === pair.slice(0, at).trim());
  const value = pair.slice(at + 1).trim();
  if (cookie === undefined || (value !== '' && !VALUE.test(value))) return undefined;
  const age = attributes
    .map((one) => /^\s*max-age=([0-9]{1,10})\s*$/i.exec(one)?.[1])
    .find(Boolean);
  const maxAge = Math.min(value === '' ? 0 : Number(age ?? 0), MAX_AGE_SECONDS);
  return serialize(nameAt(identity, cookie), value, {
    path: '/',
    httpOnly: true,
    secure: true,
    sameSite: 'Lax',
    maxAge,
  });
}
