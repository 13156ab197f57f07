import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { PayloadTooLargeError } from './errors.ts';
import { HSTS } from './hsts.ts';

/** Bytes of a JSON body that are read. */
export const BODY_BYTES_MOST = 64 * 1024;

/**
 * What every request passes: headers and origins. They are the same for all requests of an origin, so
 * they are learned once, and set before the answer is made: set on one that is there, they would have
 * the server build a whole `Response` and read it as a stream, at several times the cost of the rest.
 */
export function security(allowedOrigins: readonly string[]): MiddlewareHandler {
  const app = new Hono().use(...headerHandlers(allowedOrigins)).all('*', (c) => c.body(null));
  const learned = new Map<string, readonly (readonly [string, string])[]>();
  return async (c, next) => {
    const origin = c.req.header('origin') ?? '';
    // One that is not allowed is as good as none.
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
      // Answers are data: no page may be made of them.
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // Allowed origins read by CORS, which this says nothing of; nobody may embed.
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
 * Refuses a body that is too long, by its `content-length` or, where that is missing, as it comes.
 * @throws {PayloadTooLargeError}
 */
export async function limitBody(c: Context, bytesMost: number): Promise<void> {
  const limit = bodyLimit({
    maxSize: bytesMost,
    onError: () => {
      throw new PayloadTooLargeError(`A body may have at most ${bytesMost} bytes.`);
    },
  });
  await limit(c, async () => {});
}
