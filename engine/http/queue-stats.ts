import type { AppDeps, QueueStats } from './deps.ts';
import { inTime } from './in-time.ts';

/** Milliseconds that the queue may take to answer. */
const QUEUE_TIMEOUT_MS = 1_000;

/** `null` where the queue does not answer in time. */
export async function readQueueStats(
  deps: Pick<AppDeps, 'queueStats' | 'logger'>,
): Promise<QueueStats | null> {
  try {
    return await inTime(deps.queueStats(), QUEUE_TIMEOUT_MS);
  } catch (err) {
    deps.logger.warn({ err }, 'queue statistics failed');
    return null;
  }
}
