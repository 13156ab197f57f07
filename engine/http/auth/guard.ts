import type { Context } from 'hono';
import type { Method } from '../../contract/define.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { CsrfRejectedError, OriginRejectedError, UnauthenticatedError } from '../errors.ts';
import { networkAddress } from '../network-address.ts';
import { presentedToken } from './cookie.ts';
import { type Session, sessionOf } from './session.ts';
import { sameText } from './token.ts';

/** Who asks, as far as is known before the input is read. */
export interface Caller {
  /** IP address of the client, as far as the configured proxies vouch for it. */
  readonly ip: string;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  /** Of methods that need or read one. */
  readonly session: Session | undefined;
}

/**
 * Lets a request of that method pass, or refuses it, before its input is looked at: a session where
 * it needs one, an allowed `Origin` and the session's CSRF token on its writes (specification,
 * «Authentication» 1 and 2). A public write may come without `Origin`, but from no foreign one.
 * @throws {UnauthenticatedError} {@link OriginRejectedError} {@link CsrfRejectedError}
 * @throws {RateLimitedError} where the session or the address asks too often.
 */
export async function admit(c: Context<AppEnv>, method: Method, deps: AppDeps): Promise<Caller> {
  const caller = { ip: networkAddress(c, deps.trustedProxies), ...headersOf(c) };
  if (method.name === 'auth.nonce' || method.name === 'auth.signIn') {
    await deps.limits.take('signIn', caller.ip);
  }
  const needs = method.access === 'session';
  const reads = needs || method.readsSession === true;
  const session = reads ? await sessionOf(deps, presentedToken(c)) : undefined;
  if (needs && session === undefined) {
    throw new UnauthenticatedError('Sign in first: this needs a session, and there is none.');
  }
  if (session !== undefined) await deps.limits.take('session', session.id);
  if (method.method === 'GET') return { ...caller, session };

  const known = caller.origin !== undefined && deps.allowedOrigins.includes(caller.origin);
  if (!known && (needs || caller.origin !== undefined)) throw new OriginRejectedError();
  const token = c.req.header('x-csrf-token');
  if (needs && session && !(token && sameText(token, session.csrfToken))) {
    throw new CsrfRejectedError();
  }
  await deps.limits.take('write', session?.address ?? caller.ip);
  return { ...caller, session };
}

function headersOf(c: Context<AppEnv>): Pick<Caller, 'origin' | 'userAgent'> {
  return { origin: c.req.header('origin'), userAgent: c.req.header('user-agent') };
}
