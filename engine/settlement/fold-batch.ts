import { policyAt, settledSales } from '../core/campaign.ts';
import { type Keccak256, nextDigest } from '../core/digest.ts';
import { applyAll, type FoldState } from '../core/fold/index.ts';
import { rankCampaign } from '../core/ranking.ts';
import type { Sql } from '../db/connection.ts';
import { type FoldedPart, writeFolded } from '../db/write/commit.ts';
import type { CurrentPolicy } from '../db/write/current-policy.ts';
import type { Cursor } from '../db/write/cursor.ts';
import { type CampaignPart, loadStates } from '../db/write/load.ts';
import type { Folded } from '../db/write/rows.ts';

/** Result of folding a batch for one of its campaigns. */
export interface FoldedFacts {
  readonly folded: readonly Folded[];
  /** The campaign's cursor after the batch. */
  readonly cursor: Cursor;
}

/**
 * Folds facts into campaigns and writes rows, totals and cursors. The caller holds the campaigns' locks
 * and commits.
 * @returns the campaigns in the order of the parts; nothing is folded for a part without facts.
 * @throws {FactError} if an event cannot follow what was folded before it.
 */
export async function foldBatch(
  keccak256: Keccak256,
  sql: Sql,
  parts: readonly CampaignPart[],
): Promise<readonly FoldedFacts[]> {
  const withFacts = parts.filter(({ facts }) => facts.length > 0);
  if (withFacts.length === 0) return parts.map(({ cursor }) => ({ folded: [], cursor }));
  const states = await loadStates(sql, withFacts);
  const after = withFacts.map((part, i) => foldPart(keccak256, part, states[i]));
  const clocks = await writeFolded(sql, after);
  const byCampaign = new Map(after.map((one) => [one.state.campaignId, one]));
  return parts.map(({ cursor }) => {
    const { campaignId } = cursor;
    const one = byCampaign.get(campaignId);
    if (one === undefined) return { folded: [], cursor };
    const clockNext = clocks.get(campaignId) ?? null;
    return { folded: one.folded, cursor: { ...cursor, ...one.to, clockNext } };
  });
}

function foldPart(
  keccak256: Keccak256,
  { cursor, facts }: CampaignPart,
  before: FoldState | undefined,
): FoldedPart {
  const last = facts.at(-1);
  if (before === undefined || last === undefined) throw new Error('there is nothing to fold');
  const { state, applied } = applyAll(before, facts);
  let { digest } = cursor;
  const folded = applied.map((one) => {
    digest = nextDigest(keccak256, digest, one);
    return { ...one, digest };
  });
  const { blockNumber, logIndex, blockHash } = last;
  const at = { blockNumber, logIndex, blockHash };
  return {
    state,
    folded,
    current: currentPolicy(state, policyClock(cursor.clock, last.timestamp)),
    to: { campaignId: cursor.campaignId, seq: state.seq, at, digest },
  };
}

/**
 * Time (unix seconds) as of which a campaign's row shows the policy in effect: its clock, or its newest
 * event if that is later. The row holds the newest state; reads as of a block derive their own.
 */
export function policyClock(clock: number, newestEvent: number): number {
  return Math.max(clock, newestEvent);
}

/** The policy in effect at a clock (unix seconds), and the rank that follows from it. */
export function currentPolicy(
  state: Pick<FoldState, 'snapshot' | 'policies'>,
  clock: number,
): CurrentPolicy {
  const policy = policyAt(state.policies, clock);
  const { snapshot } = state;
  const { score } = rankCampaign({
    open: snapshot.funded && !snapshot.paused && !snapshot.ended,
    commissionBps: policy?.commissionBps ?? 0,
    holdSeconds: policy?.holdSeconds ?? 0,
    available: snapshot.ledger.available,
    price: snapshot.price,
    settledSales: settledSales(snapshot.counts),
  });
  return { policy: policy ?? null, rankScore: score };
}
