import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { every } from 'hono/combine';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { HttpError } from './errors.ts';
import { isPublicRead } from './public-reads.ts';

/**
 * `Strict-Transport-Security` header: browsers use HTTPS for this host for 180 days. It leaves out
 * subdomains: those are the operator's, and may have no certificate.
 */
export const HSTS = 'max-age=15552000';

/** Seconds for which a browser may reuse the answer to a preflight. */
const PREFLIGHT_SECONDS = 600;

/** Bytes of the longest JSON body that is read. */
export const MAX_BODY_BYTES = 64 * 1024;

/**
 * Middleware that sets security and CORS headers (docs/reference/api.md#from-other-sites). They are equal for all requests of an origin, so they
 * are computed once and set before the handler runs . Setting them on a finished response would make the
 * server build a `Response` and read it as a stream, which costs several times as much as the rest.
 * @param isOpen true for a path whose reads are the same for everybody.
 * @param set sets the headers; by default on the response that Hono makes.
 */
export function security(
  allowedOrigins: readonly string[],
  isOpen: (path: string, c: Context) => boolean = isPublicRead,
  set: SetHeaders = setNow,
): MiddlewareHandler {
  const own = learningApp(allowedOriginsCors(allowedOrigins));
  const open = learningApp(anyOriginCors);
  return async (c, next) => {
    // No page may use an API key, so a request with one gets no permission.
    const hasKey = c.req.header('authorization') !== undefined;
    const origin = hasKey ? '' : (c.req.header('origin') ?? '');
    const isAllowed = allowedOrigins.includes(origin);
    const { method } = c.req;
    const isPreflight = method === 'OPTIONS';
    const verb = isPreflight ? c.req.header('access-control-request-method') : method;
    const isRead = verb === 'GET' || verb === 'HEAD';
    const headersFor = !hasKey && !isAllowed && isRead && isOpen(c.req.path, c) ? open : own;
    if (isPreflight) return c.newResponse(null, await headersFor.app.fetch(c.req.raw));
    // An origin that is not allowed gets the headers of a request without an origin.
    const learned = await headersFor.of(isAllowed ? origin : '');
    set(c, learned);
    await next();
    return;
  };
}

/** Headers by their names in lower case. */
type HeaderTexts = Readonly<Record<string, string>>;

type SetHeaders = (c: Context, headers: HeaderTexts) => void;

function setNow(c: Context, headers: HeaderTexts): void {
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
}

/** The headers that one rule of CORS gives to each origin; each is computed once. */
function learningApp(rule: MiddlewareHandler) {
  const app = new Hono().use(secured, rule).all('*', (c) => c.body(null));
  const learned = new Map<string, HeaderTexts>();
  const of = async (origin: string) => {
    const known = learned.get(origin);
    if (known !== undefined) return known;
    const { headers } = await app.request('/', { headers: { origin } });
    const made = Object.fromEntries(headers);
    learned.set(origin, made);
    return made;
  };
  return { app, of };
}

/** Headers of every error, also of routes whose answers are pages or files: no browser shows or runs it. */
export const DATA_HEADERS = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'strict-transport-security': HSTS,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const secured = secureHeaders({
  // Responses are data: no browser may show them as a page.
  contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  // Pages read through CORS, which this does not affect; no page may embed a response.
  crossOriginResourcePolicy: 'same-origin',
  strictTransportSecurity: HSTS,
  referrerPolicy: 'no-referrer',
  xFrameOptions: 'DENY',
});

const exposeHeaders = [
  'etag',
  'idempotency-replayed',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'x-request-id',
];

function allowedOriginsCors(allowedOrigins: readonly string[]): MiddlewareHandler {
  return cors({
    origin: (origin) => (allowedOrigins.includes(origin) ? origin : null),
    credentials: true,
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: [
      ...['accept', 'content-type', 'idempotency-key', 'if-none-match', 'last-event-id'],
      ...['x-csrf-token', 'x-merchant', 'x-request-id'],
    ],
    exposeHeaders,
    maxAge: PREFLIGHT_SECONDS,
  });
}

/** For public reads: any page may read them, and none may send credentials with them. */
const anyOriginCors: MiddlewareHandler = every(
  async (c, next) => {
    await next();
    // Allowed origins get other headers for the same path.
    c.header('vary', 'origin', { append: true });
  },
  cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD'],
    allowHeaders: ['accept', 'if-none-match', 'last-event-id', 'x-request-id'],
    exposeHeaders,
    maxAge: PREFLIGHT_SECONDS,
  }),
);

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
