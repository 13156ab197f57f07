import type { MiddlewareHandler } from 'hono';
import { isAuthorized } from '../bearer.ts';
import { HttpError } from '../errors.ts';

/** Where the metrics of a server are, and who may read them. */
export interface MetricsAccess {
  /** True if `/metrics` is served on a separate port instead. */
  readonly metricsElsewhere?: boolean;
  /** Bearer token that `/metrics` requires; without it everybody may read them. */
  readonly metricsToken?: string | undefined;
}

/** Answers `/metrics` in the format of Prometheus. @throws {HttpError} 401 without the token. */
export function metricsRoute(
  { metricsElsewhere = false, metricsToken }: MetricsAccess,
  read: () => Promise<{ readonly text: string; readonly contentType: string }>,
): MiddlewareHandler {
  return async (c, next) => {
    if (metricsElsewhere) return await next();
    if (!isAuthorized(c.req.header('authorization'), metricsToken)) {
      throw new HttpError('UNAUTHENTICATED', 'The metrics need the token of METRICS_TOKEN.');
    }
    const { text, contentType } = await read();
    return c.text(text, 200, { 'content-type': contentType });
  };
}
