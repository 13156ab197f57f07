import type { Pool, Sql } from '../connection.ts';
import { toInteger } from './ids.ts';
import { type ReadHead, readLedger } from './snapshot.ts';

/** A ranking is kept this long, and 20 times as long as it took to make. */
const AGE_MS_LEAST = 2_000;
const AGE_PER_DURATION = 20;
const AGE_MS_MOST = 600_000;

/** As of which block the ranking was made, and when. */
export interface RankingState {
  readonly blockNumber: number;
  readonly blockHash: string;
  /** Unix seconds. */
  readonly blockTimestamp: number;
  /** Milliseconds since. */
  readonly ageMs: number;
  /** Milliseconds that it took. */
  readonly durationMs: number;
}

/** @returns `undefined` before the first one. */
export async function rankingState(sql: Sql): Promise<RankingState | undefined> {
  const [row] = await sql<
    {
      block_number: string;
      block_hash: string;
      block_timestamp: string;
      age_ms: string;
      duration_ms: number;
    }[]
  >`
    select block_number, block_hash, block_timestamp, duration_ms,
      floor(extract(epoch from clock_timestamp() - computed_at) * 1000)::bigint as age_ms
    from commerce.distributor_ranking_state`;
  return (
    row && {
      blockNumber: toInteger(row.block_number),
      blockHash: row.block_hash,
      blockTimestamp: toInteger(row.block_timestamp),
      ageMs: toInteger(row.age_ms),
      durationMs: row.duration_ms,
    }
  );
}

/**
 * `none` where there is no ranking, or only one of blocks that a reorg took away; `old` where it may be
 * shown and is due to be made anew.
 */
export type RankingAge = 'none' | 'old' | 'current';

/**
 * How the ranking stands to the settled block.
 * @throws {NotSettledError} where there is no settled block yet.
 */
export async function rankingAge(pool: Pool): Promise<RankingAge> {
  return await readLedger(pool, async ({ sql, head }) => {
    const state = await rankingState(sql);
    if (state === undefined || isOffChain(state, head)) return 'none';
    return isOld(state, head) ? 'old' : 'current';
  });
}

function isOffChain(state: RankingState, head: ReadHead): boolean {
  if (state.blockNumber > head.number) return true;
  return state.blockNumber === head.number && state.blockHash !== head.hash;
}

function isOld({ blockNumber, ageMs, durationMs }: RankingState, head: ReadHead): boolean {
  const kept = Math.max(AGE_MS_LEAST, Math.min(AGE_MS_MOST, durationMs * AGE_PER_DURATION));
  return blockNumber !== head.number && ageMs > kept;
}
