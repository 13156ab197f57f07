import type { Pool, Sql } from '../../connection.ts';
import { hex, integer, rowCodec, type StoredRow, seconds, small, type View } from '../../row.ts';
import { type ReadHead, readLedger } from '../snapshot.ts';

/** A ranking is used for at least this long, and for 20 times as long as it took to compute. */
const MIN_AGE_MS = 2_000;
const AGE_PER_DURATION = 20;
const MAX_AGE_MS = 600_000;

const rankingStateRow = rowCodec({
  blockNumber: integer,
  blockHash: hex,
  blockTimestamp: seconds,
  /** Milliseconds since it was computed. */
  ageMs: integer,
  /** Milliseconds that the computation took. */
  durationMs: small,
});

/** The block that the ranking is as of, and when it was computed. */
export type RankingState = View<typeof rankingStateRow>;

/** The state of the stored ranking; `undefined` before the first one. */
export async function rankingState(sql: Sql): Promise<RankingState | undefined> {
  const [row] = await sql<StoredRow[]>`
    select block_number, block_hash, block_timestamp, duration_ms,
      floor(extract(epoch from clock_timestamp() - computed_at) * 1000)::bigint as age_ms
    from commerce.distributor_ranking_state`;
  return row && rankingStateRow.decode(row);
}

/**
 * `none` if there is no ranking, or only one of blocks that a reorg removed; `old` if it can be shown but
 * must be computed again.
 */
export type RankingAge = 'none' | 'old' | 'current';

/**
 * Compares the ranking with the settled block.
 * @throws {NotSettledError} if there is no settled block yet.
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
  const usableMs = Math.max(MIN_AGE_MS, Math.min(MAX_AGE_MS, durationMs * AGE_PER_DURATION));
  return blockNumber !== head.number && ageMs > usableMs;
}
