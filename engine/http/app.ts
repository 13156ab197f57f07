import { randomUUID } from 'node:crypto';
import { context, isSpanContextValid, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { createMiddleware } from 'hono/factory';
import { requestId } from 'hono/request-id';
import type { ErrorBody } from '../contract/envelope.ts';
import { ResponseCache } from './cache/response-cache.ts';
import type { AppEnv } from './context.ts';
import { demoRoutes } from './demo/demo-routes.ts';
import type { AppDeps } from './deps.ts';
import { HttpError, notFound } from './errors.ts';
import { failureOf } from './failures.ts';
import { downloadRoutes } from './files/download-routes.ts';
import { mediaRoutes } from './files/media-routes.ts';
import { reportRoutes } from './files/report-routes.ts';
import { FileSender } from './files/send-file.ts';
import { withDeadline } from './limits/deadline.ts';
import { countRequest } from './limits/rate-limits.ts';
import { databaseGate, requestLimit } from './limits/request-gates.ts';
import { mailRoutes } from './mail/mail-routes.ts';
import { mountRoutes } from './mount-methods.ts';
import { networkAddress } from './network-address.ts';
import { docsRoutes } from './openapi/docs.ts';
import { KeyUsage } from './operations/key-usage.ts';
import { type Metrics, makeMetrics } from './operations/metrics.ts';
import { metricsRoute } from './operations/metrics-route.ts';
import { makeReadiness } from './operations/ready.ts';
import { isPublicRead, isPublicRoute } from './public-reads.ts';
import { applied, applyHeaders, setLater } from './response-headers.ts';
import { DATA_HEADERS, security } from './security.ts';
import { siteHeaders, sitePage, siteRoutes, wantsPage } from './site/site-routes.ts';
import { StreamHub } from './stream/hub.ts';
import { streamRoutes } from './stream/routes.ts';

/** Id of this process, which `/health` reports: the process that started the API recognizes it by this id. */
export const instance: string = randomUUID();

/** Characters of a request id that a caller may choose; a longer or malformed one is replaced. */
const MAX_REQUEST_ID_CHARACTERS = 100;

/** Milliseconds after which a request is answered with 503: longer than the longest verification. */
const REQUEST_MS = 20_000;

/**
 * HTTP interface: every method of the registry, `/health`, `/ready` and `/metrics`. It opens no connection.
 *
 * @example
 * createApp(deps).request('/v1/campaigns?limit=5')
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  return createApi(deps).app;
}

/** HTTP interface, with its metrics for a server that serves them on a separate port. */
export function createApi(deps: AppDeps): {
  app: Hono<AppEnv>;
  metrics: Metrics;
  usage: KeyUsage;
} {
  const app = new Hono<AppEnv>();
  const stream = deps.stream ?? new StreamHub(deps);
  const cache = deps.cacheMiB === 0 ? undefined : new ResponseCache(deps);
  const metrics = makeMetrics(deps, stream, cache);
  const usage = new KeyUsage(deps);
  const sender = new FileSender(deps);
  const { siteFolder: folder, walletConnectProjectId, publicRpcUrl, demo } = deps;
  const site =
    folder === undefined ? undefined : { folder, walletConnectProjectId, publicRpcUrl, demo };
  app.use(requestId({ limitLength: MAX_REQUEST_ID_CHARACTERS }));
  app.use(traced);
  app.use(recorded(deps, metrics, usage));
  app.use(requestLimit(deps));
  // Before the headers of data, because browsers show these responses as pages.
  if (site !== undefined) {
    app.use(siteHeaders(deps));
    app.route('/', siteRoutes(deps, site));
  }
  app.route('/', docsRoutes(deps));
  app.use(databaseGate(deps));
  app.route('/', mediaRoutes(deps, sender));
  app.route('/', downloadRoutes(deps, sender));
  app.route('/', mailRoutes(deps));
  const isOpen = (path: string, c: Context) => isPublicRoute(c) ?? isPublicRead(path);
  app.use(security(deps.allowedOrigins, isOpen, setLater));
  // Before the time limit of requests, because a stream lasts longer.
  app.route('/', streamRoutes(deps, stream));
  app.use('/v1/*', withDeadline(deps.requestMs ?? REQUEST_MS));
  app.use('/v1/*', async (c, next) => {
    await countRequest(c, deps.limits, 'address', networkAddress(c, deps.trustedProxies));
    await next();
  });
  app.get('/metrics', applied, metricsRoute(deps, metrics.read));
  app.route('/', probes(deps));
  app.route('/', reportRoutes(deps, sender));
  app.route('/', demoRoutes(deps));
  mountRoutes(app, deps, cache);
  app.notFound((c) => {
    if (site === undefined || !wantsPage(c)) {
      return fail(c, deps, notFound(`There is no route ${c.req.path}.`));
    }
    applyHeaders(c);
    return sitePage(c, site, 404);
  });
  app.onError((error, c) => fail(c, deps, error));
  return { app, metrics, usage };
}

/** Records each request after its response: in the metrics, in the usage of its API key, and in the log. */
function recorded(
  { logger, clock }: AppDeps,
  metrics: Metrics,
  usage: KeyUsage,
): MiddlewareHandler<AppEnv> {
  // Its lines have only the fields below: searching them for secrets would cost more than writing them.
  const requestLog = logger.child({}, { redact: [] });
  return async (c, next) => {
    const start = performance.now();
    await next();
    const elapsedMs = performance.now() - start;
    const latencyMs = Math.round(elapsedMs);
    const { method } = c.req;
    const { status } = c.res;
    // The token of a link opens a file, so it must not be in a log.
    const path = c.req.path.replace(/^\/(downloads|reports)\/.*/, '/$1/…');
    const id = c.get('requestId');
    const name = c.get('methodName') ?? 'other';
    metrics.answered({ name, status, seconds: elapsedMs / 1_000 });
    const use = c.get('keyUse');
    if (use !== undefined) {
      const at = new Date(clock());
      usage.note({ ...use, at, method, path, requestId: id, status, latencyMs });
    }
    requestLog.info({ requestId: id, method, path, status, ms: latencyMs });
  };
}

/** `/health`: the process responds. `/ready`: it can serve reads or, with `strict`, nothing needs a person. */
function probes(deps: AppDeps): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  const readiness = makeReadiness(deps);
  app.get('/health', applied, (c) => c.json({ data: { ok: true, instance }, meta: metaOf(c) }));
  app.get('/ready', applied, async (c) => {
    const strict = ['1', 'true'].includes(c.req.query('strict') ?? '');
    const reasons = await (strict ? readiness.strict() : readiness.reads());
    if (reasons.length > 0) {
      throw new HttpError('NOT_READY', reasons.map(({ message }) => message).join(' '), reasons);
    }
    return c.json({ data: { ok: true }, meta: metaOf(c) });
  });
  return app;
}

function metaOf(c: Context<AppEnv>) {
  return { requestId: c.get('requestId') };
}

function fail(c: Context<AppEnv>, { logger }: AppDeps, cause: Error): Response {
  applyHeaders(c);
  const { status, error, headers } = failureOf(cause);
  const requestId = c.get('requestId');
  if (status === 500) logger.error({ err: cause, requestId }, 'request failed');
  c.header('cache-control', 'no-store');
  // Whatever was mounted before `security`: an error is data, wherever it comes from.
  for (const [name, value] of Object.entries(DATA_HEADERS)) c.header(name, value);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const { code, message, issues } = error;
  const body: ErrorBody = { error: { code, message, requestId, ...(issues && { issues }) } };
  return c.json(body, status);
}

/** Records a span for each request, named after its method of the registry. Does nothing if tracing is off. */
const traced = createMiddleware<AppEnv>(async (c, next) => {
  const span = trace.getTracer('tributary').startSpan(c.req.method, { kind: SpanKind.SERVER });
  if (!isSpanContextValid(span.spanContext())) return await next();
  await context.with(trace.setSpan(context.active(), span), async () => {
    try {
      await next();
    } finally {
      const { status } = c.res;
      const name = c.get('methodName');
      if (name !== undefined) span.updateName(name);
      span.setAttributes({
        'http.request.method': c.req.method,
        'http.response.status_code': status,
        'tributary.request_id': c.get('requestId'),
      });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    }
  });
});
