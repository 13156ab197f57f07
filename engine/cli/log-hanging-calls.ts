import { type CallWatch, callWatch } from '../chain/call-watch.ts';

const EVERY_MS = 60_000;

/**
 * Logs each minute the calls that an RPC has not answered for a minute.
 * @returns a function that ends it.
 */
export function logHangingCalls(
  log: { warn(fields: object, message: string): void },
  watch: CallWatch = callWatch,
): () => Promise<void> {
  const timer = setInterval(() => {
    for (const { method, host, since } of watch.hanging()) {
      const at = since.toISOString();
      log.warn({ method, host, since: at }, `${host} has not answered ${method} since ${at}`);
    }
  }, EVERY_MS);
  timer.unref();
  return async () => clearInterval(timer);
}
