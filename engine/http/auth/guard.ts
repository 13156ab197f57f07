import type { Context } from 'hono';
import type { Method } from '../../contract/define.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import { countRequest } from '../limits/rate-limits.ts';
import { networkAddress } from '../network-address.ts';
import { presentedToken } from './cookie.ts';
import { type ActiveSession, sessionOf } from './session.ts';
import { sameText } from './token.ts';

/** Client of a request, as known before the input is read. */
export interface Caller {
  /** IP address of the client, as reported by the trusted proxies. */
  readonly ip: string;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  /** Session, for methods that need or read one. */
  readonly session: ActiveSession | undefined;
}

/**
 * Authenticates a request before its input is read: a session if the method needs one, and for its writes
 * an allowed `Origin` and the session's CSRF token (docs/api.md#sign-in). A public write may come without
 * `Origin`, but not from a foreign one.
 * @throws {HttpError} UNAUTHENTICATED, ORIGIN_REJECTED or CSRF_REJECTED.
 * @throws {HttpError} RATE_LIMITED if the session or the address sends too many requests.
 */
export async function admit(c: Context<AppEnv>, method: Method, deps: AppDeps): Promise<Caller> {
  const caller = { ip: networkAddress(c, deps.trustedProxies), ...headersOf(c) };
  if (method.name === 'auth.nonce' || method.name === 'auth.signIn') {
    await countRequest(c, deps.limits, 'signIn', caller.ip);
  }
  const needs = method.access === 'session';
  const reads = needs || method.readsSession === true;
  const session = reads ? await sessionOf(deps, presentedToken(c)) : undefined;
  if (needs && session === undefined) {
    throw new HttpError('UNAUTHENTICATED', 'Sign in first: this method needs a session.');
  }
  if (session !== undefined) await countRequest(c, deps.limits, 'session', session.id);
  if (method.method === 'GET') return { ...caller, session };

  const known = caller.origin !== undefined && deps.allowedOrigins.includes(caller.origin);
  if (!known && (needs || caller.origin !== undefined))
    throw new HttpError(
      'ORIGIN_REJECTED',
      'The header Origin must be one of the origins that may write here.',
    );
  const token = c.req.header('x-csrf-token');
  if (needs && session && !(token && sameText(token, session.csrfToken))) {
    throw new HttpError(
      'CSRF_REJECTED',
      'The header x-csrf-token must be the CSRF token of this session: see auth.session.',
    );
  }
  await countRequest(c, deps.limits, 'write', session?.address ?? caller.ip);
  return { ...caller, session };
}

function headersOf(c: Context<AppEnv>): Pick<Caller, 'origin' | 'userAgent'> {
  return { origin: c.req.header('origin'), userAgent: c.req.header('user-agent') };
}
