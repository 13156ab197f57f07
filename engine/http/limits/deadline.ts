import { setImmediate } from 'node:timers/promises';
import type { MiddlewareHandler } from 'hono';
import { WriteDeadline, type WriteHooks } from '../../db/write-deadline.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';

/**
 * Middleware that answers 503 to a request that takes too long. It answers only when it is certain that the
 * request stores nothing more, so that the client may repeat it.
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
    const error = new HttpError('NOT_READY', 'The request took too long: try again.');
    await deadline.expire(error);
    // The write that was in progress when the time passed may have been the last step.
    if (await Promise.race([answered, setImmediate(false)])) return;
    throw error;
  };
}

/**
 * Dependencies of one request, whose writes end with its time limit.
 * @param hooks called at the start and at the end of each of its transactions.
 */
export function depsUntil(
  deps: AppDeps,
  deadline: WriteDeadline | undefined,
  hooks: WriteHooks = {},
): AppDeps {
  if (deadline === undefined) return deps;
  return { ...deps, pool: deadline.bind(deps.pool, hooks), signal: deadline.signal };
}
