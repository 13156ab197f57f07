import { setTimeout } from 'node:timers/promises';
import { refreshRanking } from '../../../db/commerce/refresh-ranking.ts';
import type { Pool } from '../../../db/connection.ts';
import { rankingAge } from '../../../db/read/distributors/ranking-state.ts';
import type { AppDeps } from '../../deps.ts';

/** Milliseconds that a request waits for the first ranking. */
const PATIENCE_MS = 1_000;

/** Running computation of the ranking, by pool: one at a time. */
const underWay = new WeakMap<Pool, Promise<void>>();

/**
 * Ensures that there is a ranking of the current chain. The workers compute it (`ranking.refresh` in
 * engine/jobs/chores.ts), and requests do if no worker runs. A request waits at most a second for the first
 * ranking; an old ranking is recomputed in the background.
 * @returns true if there is a ranking.
 * @throws {NotSettledError} if no block is settled yet.
 */
export async function hasRanking(deps: RankingDeps): Promise<boolean> {
  const age = await rankingAge(deps.pool);
  if (age === 'current') return true;
  const making = refreshOnce(deps);
  if (age === 'old') return true;
  const late = setTimeout(PATIENCE_MS, false, { ref: false });
  return await Promise.race([making.then(() => true), late]);
}

type RankingDeps = Pick<AppDeps, 'pool' | 'rankingPool' | 'logger'>;

function refreshOnce({ rankingPool, logger, ...deps }: RankingDeps): Promise<void> {
  const pool = rankingPool ?? deps.pool;
  const running = underWay.get(pool);
  if (running !== undefined) return running;
  const making = refreshRanking(pool).finally(() => underWay.delete(pool));
  // The request may not wait for the result.
  making.catch((err: unknown) => logger.error({ err }, 'ranking failed'));
  underWay.set(pool, making);
  return making;
}
