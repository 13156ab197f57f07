import { policyAt, settledSales } from '../core/campaign.ts';
import { type Keccak256, nextDigest } from '../core/digest.ts';
import type { Fact } from '../core/events.ts';
import { applyAll, type CampaignState } from '../core/fold/index.ts';
import { rankCampaign } from '../core/ranking.ts';
import type { Sql } from '../db/connection.ts';
import { writeFolded } from '../db/write/commit.ts';
import type { CurrentPolicy } from '../db/write/current-policy.ts';
import type { Cursor } from '../db/write/cursor.ts';
import { loadState } from '../db/write/load.ts';
import type { Folded } from '../db/write/rows.ts';

/** What a batch came to. */
export interface FoldedBatch {
  readonly folded: readonly Folded[];
  /** Where the campaign stands after it. */
  readonly cursor: Cursor;
}

/**
 * Folds facts into a campaign and writes rows, sums and cursor. The caller holds the campaign's lock
 * and commits.
 * @throws {FactError} where an event cannot follow what was folded before it.
 */
export async function foldBatch(
  keccak256: Keccak256,
  sql: Sql,
  cursor: Cursor,
  facts: readonly Fact[],
): Promise<FoldedBatch> {
  const last = facts.at(-1);
  if (last === undefined) return { folded: [], cursor };
  const before = await loadState(sql, cursor, facts);
  const { state, applied } = applyAll(before, facts);
  let { digest } = cursor;
  const folded = applied.map((one) => {
    digest = nextDigest(keccak256, digest, one);
    return { ...one, digest };
  });
  const current = currentPolicy(state, policyClock(cursor.clock, last.timestamp));
  const at = { eventId: last.id, blockNumber: last.blockNumber, blockHash: last.blockHash };
  const to = { seq: state.seq, at, digest };
  const clockNext = await writeFolded(sql, state, folded, current, to);
  return { folded, cursor: { ...cursor, ...to, clockNext } };
}

/**
 * When a campaign's row shows the policy in effect: at its clock, or at its newest event where the
 * ledger is ahead of that. The row holds the newest standing; reads as of a block look for themselves.
 */
export function policyClock(clock: number, newestEvent: number): number {
  return Math.max(clock, newestEvent);
}

/** The policy in effect at a clock (unix seconds), and the rank that follows from it. */
export function currentPolicy(
  state: Pick<CampaignState, 'standing' | 'policies'>,
  clock: number,
): CurrentPolicy {
  const policy = policyAt(state.policies, clock);
  const { standing } = state;
  const { score } = rankCampaign({
    open: standing.funded && !standing.paused && !standing.ended,
    commissionBps: policy?.commissionBps ?? 0,
    holdSeconds: policy?.holdSeconds ?? 0,
    available: standing.ledger.available,
    price: standing.price,
    settledSales: settledSales(standing.counts),
  });
  return { policy, rankScore: score };
}
