import type { IncomingHttpHeaders } from 'node:http';
import { cookieFor, setCookieFrom } from './cookies.ts';
import type { Identity } from './identity.ts';

/**
 * Request headers that a deployment gets. All others stay here: those of the connection, cookies of other
 * deployments, and what the client claims about its address.
 */
const REQUEST_HEADERS = [
  ...['accept', 'accept-language', 'authorization', 'content-type'],
  ...['idempotency-key', 'if-match', 'if-modified-since', 'if-none-match', 'if-range', 'range'],
  ...['last-event-id', 'origin', 'traceparent', 'user-agent', 'x-csrf-token', 'x-merchant'],
  ...['access-control-request-headers', 'access-control-request-method'],
] as const;

/**
 * Response headers that a client gets. A deployment shares the gateway's origin with others, so it may set
 * nothing that concerns the origin, such as `Clear-Site-Data` or `Service-Worker-Allowed`.
 */
const RESPONSE_HEADERS = [
  ...['accept-ranges', 'allow', 'cache-control', 'content-disposition', 'content-length'],
  ...['content-range', 'content-type', 'etag', 'last-modified', 'location', 'vary'],
  ...['idempotency-replayed', 'ratelimit', 'ratelimit-policy', 'retry-after', 'www-authenticate'],
  ...['access-control-allow-credentials', 'access-control-allow-headers'],
  ...['access-control-allow-methods', 'access-control-allow-origin'],
  ...['access-control-expose-headers', 'access-control-max-age'],
  ...['cross-origin-resource-policy', 'x-request-id'],
] as const;

/** Headers of every passed response: a browser runs nothing of it on the gateway's origin. */
const SAFE_HEADERS = {
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

/** Headers that the gateway itself adds to a request for a deployment. */
export function headersAbout(
  identity: Identity,
  { address, requestId, cookie }: ClientFacts,
): Record<string, string> {
  const own = cookieFor(identity, cookie);
  return {
    'x-request-id': requestId,
    ...(address === 'unknown' ? {} : { 'x-forwarded-for': address }),
    ...(own === undefined ? {} : { cookie: own }),
  };
}

/** Headers of a request that is passed on. */
export function passedHeaders(
  identity: Identity,
  given: Headers,
  client: ClientFacts,
): Record<string, string> {
  const own = REQUEST_HEADERS.flatMap((name) => {
    const value = given.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(own), ...headersAbout(identity, client) };
}

/** Headers of a response that is passed back. */
export function returnedHeaders(identity: Identity, given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const name of RESPONSE_HEADERS) {
    const value = given[name];
    if (value !== undefined) headers.set(name, String(value));
  }
  for (const [name, value] of Object.entries(SAFE_HEADERS)) headers.set(name, value);
  // undici returns a single cookie as a text, whatever the type says.
  for (const cookie of [given['set-cookie'] ?? []].flat()) {
    const own = setCookieFrom(identity, cookie);
    if (own !== undefined) headers.append('set-cookie', own);
  }
  return headers;
}
