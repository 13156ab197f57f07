import { FactError } from '../core/events.ts';
import type { Pool } from '../db/connection.ts';
import { countFailure, stopForData } from '../db/write/cursor.ts';
import { failureKind, failureReason } from './failure-kind.ts';

/** Failures in a row, caused by a campaign's own data, that stop it. */
const MAX_DATA_FAILURES = 3;

/** Unexplained failures in a row; they stop a campaign only if others are settled meanwhile. */
const MAX_UNEXPLAINED_FAILURES = 10;

/**
 * Stops or retries a campaign whose batch failed although it was alone in it. A stranger can make a
 * campaign that cannot be folded; it must not hold back the settled block of all the others. So the
 * campaign is stopped, with the reason, if its data causes the error: immediately if a fact cannot follow
 * what was folded before it, otherwise after `MAX_DATA_FAILURES`. A transient error never counts.
 * @returns `retry` if the campaign is to be tried again.
 * @throws what the database throws: then nothing was counted, and the next attempt counts.
 */
export async function handleFailure(
  pool: Pool,
  campaignId: string,
  error: unknown,
): Promise<'retry' | 'stopped'> {
  const kind = failureKind(error);
  if (kind === 'transient') return 'retry';
  const reason = failureReason(error);
  if (error instanceof FactError) {
    await stopForData(pool, campaignId, reason);
    return 'stopped';
  }
  const { failures, othersSettled } = await countFailure(pool, campaignId, reason);
  const isEnough =
    kind === 'data'
      ? failures >= MAX_DATA_FAILURES
      : failures >= MAX_UNEXPLAINED_FAILURES && othersSettled;
  if (!isEnough) return 'retry';
  const what = kind === 'data' ? 'its data cannot be settled' : 'it fails while others are settled';
  await stopForData(pool, campaignId, `${what}, ${failures} times: ${reason}`);
  return 'stopped';
}
