import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { refreshRanking } from '../db/commerce/refresh-ranking.ts';
import type { Pool } from '../db/connection.ts';
import { rankingAge } from '../db/read/ranking-state.ts';

/** What a request waits for a ranking where there is none. */
const PATIENCE_MS = 1_000;

/** Rankings that are being made, by pool: one at a time. */
const underWay = new WeakMap<Pool, Promise<void>>();

/**
 * Sees to it that there is a ranking of the chain as it is. The workers make it (`ranking.refresh` in
 * engine/jobs/chores.ts); where none of them runs, requests do. Where there is none, a request waits for
 * it, for a second at most; an old one is made anew behind the request.
 * @returns whether there is one.
 * @throws {NotSettledError} where there is no settled block yet.
 */
export async function hasRanking(deps: RankingDeps): Promise<boolean> {
  const age = await rankingAge(deps.pool);
  if (age === 'current') return true;
  const making = refreshOnce(deps);
  if (age === 'old') return true;
  const late = setTimeout(PATIENCE_MS, false, { ref: false });
  return await Promise.race([making.then(() => true), late]);
}

interface RankingDeps {
  readonly pool: Pool;
  readonly logger: Logger;
}

function refreshOnce({ pool, logger }: RankingDeps): Promise<void> {
  const running = underWay.get(pool);
  if (running !== undefined) return running;
  const making = refreshRanking(pool).finally(() => underWay.delete(pool));
  // Whoever asked may not wait to hear of it.
  making.catch((err: unknown) => logger.error({ err }, 'ranking failed'));
  underWay.set(pool, making);
  return making;
}
