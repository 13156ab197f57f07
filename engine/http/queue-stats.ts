import type { AppDeps, QueueStats } from './deps.ts';

/** Milliseconds that the queue may take to answer. */
const QUEUE_TIMEOUT_MS = 1_000;

/** `null` where the queue does not answer in time. */
export async function readQueueStats(
  deps: Pick<AppDeps, 'queueStats' | 'logger'>,
): Promise<QueueStats | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    const error = new Error(`the queue did not answer within ${QUEUE_TIMEOUT_MS} ms`);
    timer = setTimeout(() => reject(error), QUEUE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([deps.queueStats(), late]);
  } catch (err) {
    deps.logger.warn({ err }, 'queue statistics failed');
    return null;
  } finally {
    clearTimeout(timer);
  }
}
