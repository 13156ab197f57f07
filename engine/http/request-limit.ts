import type { MiddlewareHandler } from 'hono';
import type { AppDeps } from './deps.ts';
import { networkAddress } from './network-address.ts';
import type { LimitKind } from './rate-limits.ts';

/** Paths that monitors and load balancers ask. They are counted alone: no other request uses them up. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/** Paths whose own routes count each request, after the headers that a refusal needs. */
const COUNTED_THEMSELVES = ['/v1/', '/media/', '/downloads/', '/reports/'] as const;

/** Counts each request of an address that no route counts itself: pages, the reference, probes. */
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
