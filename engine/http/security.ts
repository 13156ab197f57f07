import type { Context, MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { PayloadTooLargeError } from './errors.ts';

/** Bytes of a JSON body that are read. */
export const BODY_BYTES_MOST = 64 * 1024;

/** What every request passes: headers and origins. */
export function security(allowedOrigins: readonly string[]): MiddlewareHandler[] {
  return [
    secureHeaders({
      // Answers are data: no page may be made of them.
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      // Allowed origins read by CORS, which this says nothing of; nobody may embed.
      crossOriginResourcePolicy: 'same-origin',
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
