import type { IncomingHttpHeaders } from 'node:http';
import { cookieFor, setCookieFrom } from './cookies.ts';
import type { Identity } from './identity.ts';

/**
 * Request headers that a deployment gets. All others stay here: those of the connection, cookies of other
 * deployments, and what the client claims about its address.
 */
const REQUEST_HEADERS = [
  ...['accept', 'accept-language', 'content-type'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'range'],
  ...['last-event-id', 'origin', 'traceparent', 'user-agent'],
  ...['access-control-request-headers', 'access-control-request-method'],
] as const;

/** Request headers that say who the client is, or name a write of it: only for a declared deployment. */
const CREDENTIAL_HEADERS = [
  ...['authorization', 'idempotency-key', 'x-csrf-token', 'x-merchant'],
] as const;

/**
 * Response headers that a client gets; every other one is dropped. A deployment shares the gateway's origin with
 * others, so it may set nothing that concerns the origin (`Clear-Site-Data`, `Service-Worker-Allowed`,
 * `Strict-Transport-Security`, `WWW-Authenticate`), and nothing that leads elsewhere (`Location`, `Refresh`, `Link`).
 */
const RESPONSE_HEADERS = [
  ...['accept-ranges', 'allow', 'cache-control', 'content-disposition', 'content-length'],
  ...['content-range', 'content-type', 'etag', 'last-modified', 'vary'],
  ...['idempotency-replayed', 'ratelimit', 'ratelimit-policy', 'retry-after'],
  ...['access-control-allow-credentials', 'access-control-allow-headers'],
  ...['access-control-allow-methods', 'access-control-allow-origin'],
  ...['access-control-expose-headers', 'access-control-max-age'],
  ...['cross-origin-resource-policy', 'x-request-id'],
] as const;

/** Headers of every passed response: a browser runs nothing of it on the gateway's origin. */
export const SAFE_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

/** Facts about the client of a request that a deployment gets. */
export interface ClientFacts {
  /** IP address; `unknown` if the request has no socket. */
  readonly address: string;
  readonly requestId: string;
  /** Header `Cookie` of the request. */
  readonly cookie: string | undefined;
}

/** Deployment that a request is passed to. */
export interface Passing {
  readonly identity: Identity;
  /** True if the operator declared its identity, so that it may see credentials. */
  readonly isDeclared: boolean;
}

/** Headers that the gateway itself adds to a request for a deployment. */
export function headersAbout(
  { identity, isDeclared }: Passing,
  { address, requestId, cookie }: ClientFacts,
): Record<string, string> {
  const own = isDeclared ? cookieFor(identity, cookie) : undefined;
  return {
    'x-request-id': requestId,
    ...(address === 'unknown' ? {} : { 'x-forwarded-for': address }),
    ...(own === undefined ? {} : { cookie: own }),
  };
}

/** Headers of a request that is passed on. */
export function passedHeaders(
  passing: Passing,
  given: Headers,
  client: ClientFacts,
): Record<string, string> {
  const names = passing.isDeclared ? [...REQUEST_HEADERS, ...CREDENTIAL_HEADERS] : REQUEST_HEADERS;
  const own = names.flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...headersAbout(passing, client) };
}

/** Headers of a response that is passed back. */
export function returnedHeaders(
  { identity, isDeclared }: Passing,
  given: IncomingHttpHeaders,
): Headers {
  const headers = new Headers();
  for (const name of RESPONSE_HEADERS) {
    const value = given[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  for (const [name, value] of Object.entries(SAFE_HEADERS)) headers.set(name, value);
  if (!isDeclared) return headers;
  // undici returns a single cookie as a text, whatever the type says.
  for (const cookie of [given['set-cookie'] ?? []].flat()) {
    const own = setCookieFrom(identity, cookie);
    if (own !== undefined) headers.append('set-cookie', own);
  }
  return headers;
}
