import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { HttpError } from './errors.ts';

/**
 * `Strict-Transport-Security` header: browsers use HTTPS for this host for 180 days. It leaves out
 * subdomains: those are the operator's, and may have no certificate.
 */
export const HSTS = 'max-age=15552000';

/** Bytes of the longest JSON body that is read. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Middleware that sets security and CORS headers. They are equal for all requests of an origin, so they
 * are computed once and set before the handler runs. Setting them on a finished response would make the
 * server build a `Response` and read it as a stream, which costs several times as much as the rest.
 */
export function security(allowedOrigins: readonly string[]): MiddlewareHandler {
  const app = new Hono().use(...headerHandlers(allowedOrigins)).all('*', (c) => c.body(null));
  const learned = new Map<string, readonly (readonly [string, string])[]>();
  return async (c, next) => {
    const origin = c.req.header('origin') ?? '';
    // An origin that is not allowed gets the headers of a request without an origin.
    const key = allowedOrigins.includes(origin) ? origin : '';
    if (c.req.method === 'OPTIONS') {
      return c.newResponse(null, await app.fetch(c.req.raw));
    }
    const headers = learned.get(key) ?? [
      ...(await app.request('/', { headers: { origin } })).headers,
    ];
    learned.set(key, headers);
    for (const [name, value] of headers) c.header(name, value);
    await next();
    return;
  };
}

function headerHandlers(allowedOrigins: readonly string[]): MiddlewareHandler[] {
  return [
    secureHeaders({
      // Responses are data: no browser may show them as a page.
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // Allowed origins read through CORS, which this does not affect; no page may embed a response.
      crossOriginResourcePolicy: 'same-origin',
      strictTransportSecurity: HSTS,
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
    }),
    cors({
      origin: (origin) => (allowedOrigins.includes(origin) ? origin : null),
      credentials: true,
      allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
      allowHeaders: [
        ...['accept', 'content-type', 'idempotency-key', 'last-event-id'],
        ...['x-csrf-token', 'x-request-id'],
      ],
      exposeHeaders: ['x-request-id', 'retry-after'],
      maxAge: 600,
    }),
  ];
}

/**
 * Rejects a body that is too long, by its `content-length` or, without one, while it arrives.
 * @throws {HttpError} PAYLOAD_TOO_LARGE if it has more than `maxBytes`.
 */
export async function limitBody(c: Context, maxBytes: number): Promise<void> {
  const limit = bodyLimit({
    maxSize: maxBytes,
    onError: () => {
      throw new HttpError('PAYLOAD_TOO_LARGE', `A body may have at most ${maxBytes} bytes.`);
    },
  });
  await limit(c, async () => {});
}
