import { type Context, Hono } from 'hono';
import { requestId } from 'hono/request-id';
import type { ErrorBody } from '../contract/envelope.ts';
import { isAuthorized } from './bearer.ts';
import type { AppEnv } from './context.ts';
import { databaseGate } from './database-gate.ts';
import { withDeadline } from './deadline.ts';
import type { AppDeps } from './deps.ts';
import { failureOf, NotFoundError, NotReadyError, UnauthenticatedError } from './errors.ts';
import { downloadRoutes } from './files/download-routes.ts';
import { mediaRoutes } from './files/media-routes.ts';
import { reportRoutes } from './files/report-routes.ts';
import { FileSender } from './files/send-file.ts';
import { instance } from './instance.ts';
import { KeptAnswers } from './kept/answers.ts';
import { type Metrics, makeMetrics } from './metrics.ts';
import { networkAddress } from './network-address.ts';
import { docsRoutes } from './openapi/docs.ts';
import { makeReadiness } from './ready.ts';
import { requestLimit } from './request-limit.ts';
import { mountRoutes } from './routes.ts';
import { security } from './security.ts';
import { siteHeaders, sitePage, siteRoutes, wantsPage } from './site/site-routes.ts';
import { StreamHub } from './stream/hub.ts';
import { streamRoutes } from './stream/routes.ts';
import { traced } from './tracing.ts';

/** Characters of a request id that a caller gives; a longer or odd one is replaced. */
const REQUEST_ID_CHARACTERS_MOST = 100;

/** Milliseconds after which a request is answered 503: longer than the longest verification. */
const REQUEST_MS = 20_000;

/**
 * The HTTP interface: every method of the registry, `/health` and `/ready`. Opens nothing.
 *
 * @example
 * createApp(deps).request('/v1/campaigns?limit=5')
 */
export function createApp(deps: AppDeps): Hono<AppEnv> {
  return createApi(deps).app;
}

/** The app, and its metrics for a server that has them on a port of their own. */
export function createApi(deps: AppDeps): { app: Hono<AppEnv>; metrics: Metrics } {
  const app = new Hono<AppEnv>();
  const stream = deps.stream ?? new StreamHub(deps);
  const kept = deps.keptMiB === 0 ? undefined : new KeptAnswers(deps);
  const metrics = makeMetrics(deps, stream, kept);
  const sender = new FileSender(deps);
  const readiness = makeReadiness(deps);
  // Its lines have the fields below and no others: to look for secrets in them costs more than they do.
  const requestLog = deps.logger.child({}, { redact: [] });
  app.use(requestId({ limitLength: REQUEST_ID_CHARACTERS_MOST }));
  app.use(traced);
  app.use(async (c, next) => {
    const start = performance.now();
    await next();
    const taken = performance.now() - start;
    const ms = Math.round(taken);
    const { method } = c.req;
    // The token of a link opens a file: it must not be readable in a log.
    const path = c.req.path.replace(/^\/(downloads|reports)\/.*/, '/$1/…');
    const name = c.get('methodName') ?? 'other';
    metrics.answered({ name, status: c.res.status, seconds: taken / 1_000 });
    requestLog.info({ requestId: c.get('requestId'), method, path, status: c.res.status, ms });
  });
  app.use(requestLimit(deps));
  // Before the headers of data: pages may be made of these.
  const { siteFolder } = deps;
  if (siteFolder !== undefined) {
    app.use(siteHeaders(deps.publicUrl));
    app.route('/', siteRoutes(siteFolder));
  }
  app.route('/', docsRoutes());
  app.use(databaseGate(deps));
  app.route('/', mediaRoutes(deps, sender));
  app.route('/', downloadRoutes(deps, sender));
  app.use(security(deps.allowedOrigins));
  // Before the time of a request: it lasts longer.
  app.route('/', streamRoutes(deps, stream));
  app.use('/v1/*', withDeadline(deps.requestMs ?? REQUEST_MS));
  app.use('/v1/*', async (c, next) => {
    await deps.limits.take('address', networkAddress(c, deps.trustedProxies));
    await next();
  });

  app.get('/metrics', async (c, next) => {
    if (deps.metricsElsewhere === true) return await next();
    if (!isAuthorized(c.req.header('authorization'), deps.metricsToken)) {
      throw new UnauthenticatedError('The metrics need the token of METRICS_TOKEN.');
    }
    const { text, contentType } = await metrics.read();
    return c.text(text, 200, { 'content-type': contentType });
  });
  app.get('/health', (c) => c.json({ data: { ok: true, instance }, meta: metaOf(c) }));
  app.get('/ready', async (c) => {
    const strict = ['1', 'true'].includes(c.req.query('strict') ?? '');
    const reasons = await (strict ? readiness.strict() : readiness.reads());
    if (reasons.length > 0) throw new NotReadyError(reasons);
    return c.json({ data: { ok: true }, meta: metaOf(c) });
  });
  app.route('/', reportRoutes(deps, sender));
  mountRoutes(app, deps, kept);

  app.notFound((c) =>
    siteFolder !== undefined && wantsPage(c)
      ? sitePage(c, siteFolder, 404)
      : fail(c, deps, new NotFoundError(`There is no route ${c.req.path}.`)),
  );
  app.onError((error, c) => fail(c, deps, error));
  return { app, metrics };
}

function metaOf(c: Context<AppEnv>) {
  return { requestId: c.get('requestId') };
}

function fail(c: Context<AppEnv>, { logger }: AppDeps, error: Error): Response {
  const { status, code, message, issues, headers } = failureOf(error);
  const id = c.get('requestId');
  if (status === 500) logger.error({ err: error, requestId: id }, 'request failed');
  c.header('cache-control', 'no-store');
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const body: ErrorBody = {
    error: { code, message, requestId: id, ...(issues && { issues: [...issues] }) },
  };
  return c.json(body, status);
}
