import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { PayloadTooLargeError } from './errors.ts';

/** Bytes of a JSON body that are read. */
const BODY_BYTES_MOST = 64 * 1024;

/** What every request passes: headers, origins, and the size of its body. */
export function security(allowedOrigins: readonly string[]): MiddlewareHandler[] {
  return [
    secureHeaders({
      // Answers are data: no page may be made of them.
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      crossOriginResourcePolicy: allowedOrigins.length > 0 ? 'cross-origin' : 'same-origin',
      referrerPolicy: 'no-referrer',
      xFrameOptions: 'DENY',
    }),
    cors({
      origin: (origin) => (allowedOrigins.includes(origin) ? origin : null),
      allowMethods: ['GET', 'HEAD'],
      allowHeaders: ['accept', 'x-request-id'],
      exposeHeaders: ['x-request-id', 'retry-after'],
      maxAge: 600,
    }),
    bodyLimit({
      maxSize: BODY_BYTES_MOST,
      onError: () => {
        throw new PayloadTooLargeError(`A body may have at most ${BODY_BYTES_MOST} bytes.`);
      },
    }),
  ];
}
