import type { Context } from 'hono';
import type { Method } from '../../contract/define.ts';
import type { Role } from '../../contract/roles.ts';
import type { Address } from '../../core/events.ts';
import type { ApiKeyRow } from '../../db/commerce/api-keys.ts';
import { bearerToken } from '../bearer.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import { countRequest } from '../limits/rate-limits.ts';
import { networkAddress } from '../network-address.ts';
import { activeKey, membershipFor, namedMerchant, requireScope } from './actor.ts';
import { presentedToken } from './cookie.ts';
import { type ActiveSession, sessionOf } from './session.ts';
import { sameText } from './token.ts';

/** Client of a request, as known before the input is read. */
export interface Caller {
  /** IP address of the client, as reported by the trusted proxies. */
  readonly ip: string;
  readonly origin: string | undefined;
  readonly userAgent: string | undefined;
  /** Session, for methods that need or read one; `undefined` for a request with an API key. */
  readonly session: ActiveSession | undefined;
  /** API key that the request presents. */
  readonly key: ApiKeyRow | undefined;
  /** Account of the session or of the key, for methods that need or read one. */
  readonly account: Address | undefined;
  /** Merchant for which it acts, for methods of the merchant's side. */
  readonly merchant: Address | undefined;
  /** Role of the account in that merchant's team. */
  readonly role: Role | undefined;
}

type Client = Pick<Caller, 'ip' | 'origin' | 'userAgent'>;
type Credentials = Pick<Caller, 'session' | 'key' | 'account'>;

/**
 * Authenticates a request before its input is read (docs/reference/api.md#sign-in, docs/use/teams.md#api-keys), and
 * decides for which merchant it acts.
 * @throws {HttpError} as `authenticate`, and FORBIDDEN if the account may not call the method for the merchant.
 */
export async function admit(c: Context<AppEnv>, method: Method, deps: AppDeps): Promise<Caller> {
  const client = clientOf(c, deps);
  const found = await authenticate(c, method, deps);
  const { account, key } = found;
  const named = namedMerchant(c);
  if (key !== undefined && named !== undefined && named !== key.merchant) {
    throw new HttpError('FORBIDDEN', `This API key acts for merchant ${key.merchant} alone.`);
  }
  const membership =
    account === undefined
      ? undefined
      : await membershipFor(deps, method, account, key?.merchant ?? named);
  if (method.method !== 'GET') await countRequest(c, deps.limits, 'write', account ?? client.ip);
  return { ...client, ...found, merchant: membership?.merchant, role: membership?.role };
}

/**
 * Finds the session or the API key of a request, as far as the method needs one or reads one.
 * @throws {HttpError} UNAUTHENTICATED, ORIGIN_REJECTED or CSRF_REJECTED; FORBIDDEN if the key may not call it.
 * @throws {HttpError} RATE_LIMITED if the session, the key or the address sends too many requests.
 */
export async function authenticate(
  c: Context<AppEnv>,
  method: Method,
  deps: AppDeps,
): Promise<Credentials> {
  const client = clientOf(c, deps);
  // Without API keys the header is none of ours: a proxy may have set it.
  const text = deps.enabled.has('apiKeys') ? bearerToken(c.req.header('authorization')) : undefined;
  return text === undefined
    ? await signedIn(c, method, deps, client)
    : await keyed(c, method, deps, { text, client });
}

function clientOf(c: Context<AppEnv>, { trustedProxies }: AppDeps): Client {
  return {
    ip: networkAddress(c, trustedProxies),
    origin: c.req.header('origin'),
    userAgent: c.req.header('user-agent'),
  };
}

/**
 * Session of a request: needed by `session` methods, and for their writes also an allowed `Origin` and the
 * session's CSRF token. A public write may come without `Origin`, but not from a foreign one.
 */
async function signedIn(
  c: Context<AppEnv>,
  method: Method,
  deps: AppDeps,
  { ip, origin }: Client,
): Promise<Credentials> {
  if (method.name === 'auth.nonce' || method.name === 'auth.signIn') {
    await countRequest(c, deps.limits, 'signIn', ip);
  }
  const needs = method.access === 'session';
  const reads = needs || method.readsSession === true;
  const session = reads ? await sessionOf(deps, presentedToken(c)) : undefined;
  if (needs && session === undefined) {
    throw new HttpError('UNAUTHENTICATED', 'Sign in first: this method needs a session.');
  }
  if (session !== undefined) await countRequest(c, deps.limits, 'session', session.id);
  const found = { session, key: undefined, account: session?.address };
  if (method.method === 'GET') return found;

  const known = origin !== undefined && deps.allowedOrigins.includes(origin);
  if (!known && (needs || origin !== undefined)) {
    throw new HttpError(
      'ORIGIN_REJECTED',
      'The header Origin must be one of the origins that may write here.',
    );
  }
  const token = c.req.header('x-csrf-token');
  if (needs && session && !(token && sameText(token, session.csrfToken))) {
    throw new HttpError(
      'CSRF_REJECTED',
      'The header x-csrf-token must be the CSRF token of this session: see auth.session.',
    );
  }
  return found;
}

/** A request that presents an API key: its cookies are ignored, and it must not come from a page. */
async function keyed(
  c: Context<AppEnv>,
  method: Method,
  deps: AppDeps,
  { text, client }: { readonly text: string; readonly client: Client },
): Promise<Credentials> {
  if (client.origin !== undefined) {
    throw new HttpError(
      'ORIGIN_REJECTED',
      'An API key does not belong in a page: a request with one has no header Origin.',
    );
  }
  const key = await activeKey(deps, text, client.ip);
  c.set('keyUse', { keyId: key.id, campaignId: c.req.param('campaignId') ?? '' });
  await countRequest(c, deps.limits, 'key', key.id);
  requireScope(method, key);
  return { session: undefined, key, account: key.account };
}
