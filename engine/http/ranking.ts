import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import { refreshRanking } from '../db/commerce/refresh-ranking.ts';
import type { Pool } from '../db/connection.ts';
import { type RankingState, rankingState } from '../db/read/list-distributors.ts';
import { type ReadHead, readLedger } from '../db/read/snapshot.ts';

/** A ranking is kept this long, and 20 times as long as it took to make. */
const AGE_MS_LEAST = 2_000;
const AGE_PER_DURATION = 20;
const AGE_MS_MOST = 600_000;

/** Rankings that are being made, by pool: one at a time. */
const underWay = new WeakMap<Pool, Promise<void>>();

/**
 * Sees to it that there is a ranking of the chain as it is. The first request waits for it; later
 * ones take what there is, and an old one is made anew behind them.
 * @throws {NotSettledError} where there is no settled block yet.
 */
export async function keepRanking({ pool, logger }: RankingDeps): Promise<void> {
  const { head, state } = await readLedger(pool, async ({ sql, head }) => ({
    head,
    state: await rankingState(sql),
  }));
  if (state === undefined || isOffChain(state, head)) return await refreshOnce(pool);
  if (isOld(state, head)) {
    refreshOnce(pool).catch((err: unknown) => logger.error({ err }, 'ranking failed'));
  }
}

/** Of a great ledger a ranking takes half a minute: what only shows some of it goes on without. */
const PATIENCE_MS = 1_000;

/**
 * The same for what is an answer without a ranking, too: it waits for a second at most.
 * @returns whether there is one.
 * @throws {NotSettledError} where there is no settled block yet.
 */
export async function hasRanking(deps: RankingDeps): Promise<boolean> {
  const making = keepRanking(deps).then(() => true);
  const ready = await Promise.race([making, setTimeout(PATIENCE_MS, false, { ref: false })]);
  // Nobody else would hear of its failure.
  if (!ready) making.catch((err: unknown) => deps.logger.error({ err }, 'ranking failed'));
  return ready;
}

interface RankingDeps {
  readonly pool: Pool;
  readonly logger: Logger;
}

/** Made of blocks that a reorg took away. */
function isOffChain(state: RankingState, head: ReadHead): boolean {
  if (state.blockNumber > head.number) return true;
  return state.blockNumber === head.number && state.blockHash !== head.hash;
}

function isOld({ blockNumber, ageMs, durationMs }: RankingState, head: ReadHead): boolean {
  const kept = Math.max(AGE_MS_LEAST, Math.min(AGE_MS_MOST, durationMs * AGE_PER_DURATION));
  return blockNumber !== head.number && ageMs > kept;
}

async function refreshOnce(pool: Pool): Promise<void> {
  const running = underWay.get(pool) ?? refreshRanking(pool).finally(() => underWay.delete(pool));
  underWay.set(pool, running);
  await running;
}
