import type { MiddlewareHandler } from 'hono';
import { DatabaseAwayError } from '../../db/availability.ts';
import type { AppDeps } from '../deps.ts';
import { networkAddress } from '../network-address.ts';
import type { LimitKind } from './rate-limits.ts';

/** Paths for monitors and load balancers. They are counted separately, and answer without a database. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** Paths whose routes count requests themselves, after setting the headers that an error needs. */
const COUNTED_THEMSELVES = ['/v1/', '/media/', '/downloads/', '/reports/'] as const;

/** Middleware that counts requests which no route counts: pages, the reference and probes. */
export function requestLimit(deps: Pick<AppDeps, 'limits' | 'trustedProxies'>): MiddlewareHandler {
  return async (c, next) => {
    const kind = kindOf(c.req.method, c.req.path);
    if (kind !== undefined) await deps.limits.take(kind, networkAddress(c, deps.trustedProxies));
    await next();
  };
}

function kindOf(method: string, path: string): LimitKind | undefined {
  if (PROBES.has(path)) return 'probe';
  // Preflights are answered before any route.
  if (method === 'OPTIONS') return 'page';
  return COUNTED_THEMSELVES.some((prefix) => path.startsWith(prefix)) ? undefined : 'page';
}

/**
 * Middleware that answers 503 immediately while the database is away, except to probes. A running read is
 * also answered as soon as the database goes away. A running write is not, because it may still take
 * effect: it waits until its statement fails.
 */
export function databaseGate({ database }: Pick<AppDeps, 'database'>): MiddlewareHandler {
  return async (c, next) => {
    if (database === undefined || PROBES.has(c.req.path)) return await next();
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return await database.run(next);
    if (database.away) throw new DatabaseAwayError('The database does not answer.');
    return await next();
  };
}
