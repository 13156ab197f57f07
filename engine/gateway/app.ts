import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { type RequestIdVariables, requestId } from 'hono/request-id';
import type { Logger } from 'pino';
import type { Method } from '../contract/define.ts';
import type { ErrorBody } from '../contract/envelope.ts';
import { lookups } from '../contract/resources/lookups.ts';
import { HttpError, httpFailure, internalError, invalidField, notFound } from '../http/errors.ts';
import { decodeInput } from '../http/input/decode.ts';
import { networkAddress } from '../http/network-address.ts';
import { serveDocument } from '../http/openapi/serve-document.ts';
import { type MetricsAccess, metricsRoute } from '../http/operations/metrics-route.ts';
import { limitBody, MAX_BODY_BYTES, security } from '../http/security.ts';
import type { AcrossRequest } from './across.ts';
import { hasSessionAt } from './cookies.ts';
import type { Directory } from './directory.ts';
import type { GatewayResult } from './handler.ts';
import { deployments, status } from './handlers/deployments.ts';
import { earnings } from './handlers/earnings.ts';
import { campaigns, distributors, recentReceipts } from './handlers/lists.ts';
import { search } from './handlers/search.ts';
import { type ClientFacts, headersAbout, SAFE_HEADERS } from './headers.ts';
import { AcrossLimits } from './limits.ts';
import { gatewayMethods, routedMethods } from './methods.ts';
import { type GatewayMetrics, makeMetrics } from './metrics.ts';
import { gatewayDocument } from './openapi.ts';
import { deploymentOf, passOn, routeOf } from './proxy.ts';
import type { GatewayMeta } from './shapes.ts';

/** Everything that the gateway needs from outside. */
export interface GatewayDeps extends MetricsAccess {
  readonly directory: Directory;
  readonly logger: Logger;
  /** Browser origins that may read sessions' data across deployments. */
  readonly allowedOrigins: readonly string[];
  /** Number of our own proxies that each request passes, whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: number;
  /** Requests across deployments per minute of one address. */
  readonly perMinute: number;
  /** True once the process is stopping and should get no new requests. */
  readonly stopping?: () => boolean;
}

interface GatewayEnv {
  Variables: RequestIdVariables & {
    /** Name of the method that answered; unset if no route did. */
    methodName?: string;
  };
}

const handlers = { deployments, status, search, campaigns, recentReceipts, distributors, earnings };

/** Characters of a request id that a caller may choose; a longer or malformed one is replaced. */
const MAX_REQUEST_ID_CHARACTERS = 100;

/** HTTP interface of the gateway, with its metrics for a server that serves them on a separate port. */
export function createGateway(deps: GatewayDeps): {
  readonly app: Hono<GatewayEnv>;
  readonly metrics: GatewayMetrics;
} {
  const app = new Hono<GatewayEnv>();
  const { directory } = deps;
  const metrics = makeMetrics(directory);
  const factsOf = (c: Context<GatewayEnv>): ClientFacts => ({
    address: networkAddress(c, deps.trustedProxies),
    requestId: c.get('requestId'),
    cookie: c.req.header('cookie'),
  });
  app.use(requestId({ limitLength: MAX_REQUEST_ID_CHARACTERS }));
  app.use(recorded(deps, metrics));
  app.all('/d/*', async (c) => {
    c.set('methodName', 'passed on');
    return await passOn(c, routeOf(directory, c.req.url), factsOf(c));
  });
  app.use(security(deps.allowedOrigins, isPublic));
  mountAcross(app, deps, metrics, factsOf);
  mountRouted(app, deps, factsOf);
  app.get('/metrics', metricsRoute(deps, metrics.read));
  app.get('/openapi.json', serveDocument(gatewayDocument));
  app.get('/health', (c) =>
    c.json({ data: { ok: true }, meta: { requestId: c.get('requestId') } }),
  );
  app.get('/ready', (c) => {
    const isStrict = ['1', 'true'].includes(c.req.query('strict') ?? '');
    const issues = readinessIssues(deps, isStrict);
    if (issues.length > 0) {
      throw new HttpError('NOT_READY', issues.map(({ message }) => message).join(' '), issues);
    }
    return c.json({ data: { ok: true }, meta: { requestId: c.get('requestId') } });
  });
  app.notFound((c) => fail(c, deps, notFound(`There is no route ${c.req.path}.`)));
  app.onError((error, c) => fail(c, deps, error));
  return { app, metrics };
}

/** Records each request in the metrics and the log, after its response. */
function recorded({ logger }: GatewayDeps, metrics: GatewayMetrics): MiddlewareHandler<GatewayEnv> {
  return async (c, next) => {
    const start = performance.now();
    await next();
    const ms = performance.now() - start;
    const { method } = c.req;
    const { status: code } = c.res;
    const name = c.get('methodName') ?? 'other';
    metrics.answered({ name, status: code, seconds: ms / 1_000 });
    // The token of a link opens a file, so it must not be in a log.
    const path = c.req.path.replace(/\/(downloads|reports)\/.*/, '/$1/…');
    logger.info({ requestId: c.get('requestId'), method, path, status: code, ms: Math.round(ms) });
  };
}

/** Mounts the methods that ask all deployments. */
function mountAcross(
  app: Hono<GatewayEnv>,
  { directory, perMinute }: GatewayDeps,
  metrics: GatewayMetrics,
  factsOf: (c: Context<GatewayEnv>) => ClientFacts,
): void {
  const limits = new AcrossLimits(perMinute);
  const acrossOf = (client: ClientFacts): AcrossRequest => ({
    directory,
    headersFor: (deployment) => headersAbout(deployment, client),
    hasSession: ({ identity, isDeclared }) => isDeclared && hasSessionAt(identity, client.cookie),
  });
  for (const [key, method] of Object.entries(gatewayMethods)) {
    // The table has the handler of that key; `decodeInput` decodes the input of that method.
    const handler = handlers[key as keyof typeof handlers] as AnyHandler;
    app.get(method.path, async (c) => {
      c.set('methodName', method.name);
      const client = factsOf(c);
      return await limits.run(client.address, async () => {
        const query = new URL(c.req.url).searchParams;
        const input = decodeInput<Method>(method, { params: {}, query });
        const { data, deployments: present, resumeCursor } = await handler(input, acrossOf(client));
        metrics.missed(present.missing);
        const meta: GatewayMeta = {
          requestId: client.requestId,
          deployments: present,
          ...(resumeCursor !== undefined && { resumeCursor }),
        };
        // Who answers may change at any time, and no deployment's tag covers that.
        c.header('cache-control', 'no-store');
        return c.json({ data, meta });
      });
    });
  }
}

type AnyHandler = (input: unknown, request: AcrossRequest) => Promise<GatewayResult<unknown>>;

/** True for a path whose reads are the same for every page of every site. */
function isPublic(path: string): boolean {
  if (path === '/openapi.json') return true;
  return path.startsWith('/v1/') && path !== gatewayMethods.earnings.path;
}

/** Mounts the methods that name a chain, and passes them on to the deployment of that chain. */
function mountRouted(
  app: Hono<GatewayEnv>,
  { directory }: GatewayDeps,
  factsOf: (c: Context<GatewayEnv>) => ClientFacts,
): void {
  for (const { name, method, path } of routedMethods) {
    if (method !== 'GET') continue;
    app.get(path, async (c) => {
      c.set('methodName', name);
      const chainId = chainIdOf(c.req.param('chainId'));
      const deployment = deploymentOf(directory, chainId);
      const { pathname, search: query } = new URL(c.req.url);
      return await passOn(c, { deployment, path: `${pathname}${query}` }, factsOf(c));
    });
  }
  const { receipts } = lookups;
  app.post(receipts.path, async (c) => {
    c.set('methodName', receipts.name);
    await limitBody(c, MAX_BODY_BYTES);
    const text = await c.req.text();
    const body = jsonOf(text);
    const { chainId } = decodeInput(receipts, { params: {}, query: new URLSearchParams(), body });
    const deployment = deploymentOf(directory, chainId);
    return await passOn(c, { deployment, path: receipts.path }, factsOf(c), text);
  });
}

function chainIdOf(text: string | undefined): number {
  if (text === undefined || !/^[1-9][0-9]{0,15}$/.test(text)) {
    throw invalidField('chainId', 'must be a chain id');
  }
  return Number(text);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('', 'the body is not JSON');
  }
}

function readinessIssues({ directory, stopping }: GatewayDeps, isStrict: boolean) {
  if (stopping?.() === true) {
    return [{ path: 'process', message: 'This process is stopping.' }];
  }
  const down = directory.all.filter(({ state }) => state !== 'up');
  if (down.length < directory.all.length && !isStrict) return [];
  return down.map(({ name, state }) => ({
    path: name,
    message:
      state === 'refused' ? `${name} is not the expected deployment.` : `${name} does not answer.`,
  }));
}

function fail(c: Context<GatewayEnv>, deps: GatewayDeps, cause: Error): Response {
  const known = cause instanceof HttpError ? cause : internalError();
  const { status: code, error, headers } = httpFailure(known);
  const id = c.get('requestId');
  if (known !== cause) deps.logger.error({ err: cause, requestId: id }, 'request failed');
  c.header('cache-control', 'no-store');
  for (const [name, value] of Object.entries(SAFE_HEADERS)) c.header(name, value);
  allowPages(c, deps.allowedOrigins);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  const { code: name, message, issues } = error;
  const body: ErrorBody = {
    error: { code: name, message, requestId: id, ...(issues && { issues }) },
  };
  return c.json(body, code);
}

/** Lets pages read an error of a passed request, as they may read the deployment's own errors. */
function allowPages(c: Context<GatewayEnv>, allowedOrigins: readonly string[]): void {
  if (!c.req.path.startsWith('/d/')) return;
  const origin = c.req.header('origin') ?? '';
  const isAllowed = allowedOrigins.includes(origin);
  c.header('access-control-allow-origin', isAllowed ? origin : '*');
  if (isAllowed) c.header('access-control-allow-credentials', 'true');
  c.header('vary', 'origin');
}
