import type { MiddlewareHandler } from 'hono';
import { DatabaseAwayError } from '../db/availability.ts';
import type { AppDeps } from './deps.ts';

/** Paths that say how the process is, and so answer without a database. */
const PROBES: ReadonlySet<string> = new Set(['/health', '/ready', '/metrics']);

/**
 * Answers 503 immediately while the database is away. A read that is under way when it goes away is
 * answered, too; a write is not, because it may still take effect: its own statement fails.
 */
export function databaseGate({ database }: Pick<AppDeps, 'database'>): MiddlewareHandler {
  return async (c, next) => {
    if (database === undefined || PROBES.has(c.req.path)) return await next();
    if (c.req.method === 'GET' || c.req.method === 'HEAD') return await database.run(next);
    if (database.away) throw new DatabaseAwayError('The database does not answer.');
    return await next();
  };
}
