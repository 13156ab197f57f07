import { setImmediate } from 'node:timers/promises';
import type { MiddlewareHandler } from 'hono';
import { WriteDeadline } from '../db/write-deadline.ts';
import type { AppEnv } from './context.ts';
import type { AppDeps } from './deps.ts';
import { TimedOutError } from './errors.ts';

/**
 * Answers 503 to a request that takes longer than that, and not before it is certain that the request
 * stores nothing any more: who reads that it failed may repeat it.
 */
export function withDeadline(milliseconds: number): MiddlewareHandler<AppEnv> {
  return async (c, next) => {
    const deadline = new WriteDeadline();
    c.set('deadline', deadline);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, milliseconds, false);
    });
    const answered = next().then(() => true as const);
    try {
      if (await Promise.race([answered, late])) return;
    } finally {
      clearTimeout(timer);
    }
    const error = new TimedOutError();
    await deadline.expire(error);
    // What was being stored when the time was over may have been all that was missing.
    if (await Promise.race([answered, setImmediate(false)])) return;
    throw error;
  };
}

/** The dependencies of one request, whose writes end with its time. */
export function depsUntil(deps: AppDeps, deadline: WriteDeadline | undefined): AppDeps {
  if (deadline === undefined) return deps;
  return { ...deps, pool: deadline.bind(deps.pool), signal: deadline.signal };
}
