import { policyAt, settledSales } from '../core/campaign.ts';
import { EMPTY_DIGEST, type Keccak256, nextDigest } from '../core/digest.ts';
import { type Fact, FactError } from '../core/events.ts';
import { applyAll, type CampaignState } from '../core/fold/index.ts';
import { rankCampaign } from '../core/ranking.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { type FactBatch, lastCommonEvent, readFacts } from '../db/facts.ts';
import { readHeads } from '../db/heads.ts';
import { notifySettled } from '../db/notify.ts';
import { moveClock, scheduleClock, writeCurrentPolicy } from '../db/write/clock.ts';
import { writeFolded } from '../db/write/commit.ts';
import {
  type Cursor,
  lockCursor,
  markMissing,
  moveCursor,
  stopCampaign,
} from '../db/write/cursor.ts';
import { loadCampaign, loadPolicies, loadState } from '../db/write/load.ts';
import { rollBack } from '../db/write/rollback.ts';
import type { Folded } from '../db/write/rows.ts';
import type { Chain } from './chain.ts';
import { FINALIZED_GRACE_MS, judgeMissing } from './missing.ts';

export interface SettleOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly keccak256: Keccak256;
  /** Facts folded in one transaction, at most. */
  readonly batchSize: number;
}

/** What one look at a campaign came to. */
export interface Settled {
  /**
   * `folded` there may be more; `idle` nothing new; `waiting` the fact at the cursor is missing, and
   * it is not sure to be gone; `busy` another worker has the campaign; `stopped` it needs a person.
   */
  readonly outcome: 'folded' | 'idle' | 'waiting' | 'busy' | 'stopped';
  readonly events: number;
  /** Events taken back because the chain replaced them. */
  readonly rolledBack: number;
  readonly discrepancies: number;
  /** Seconds from the settled block until the campaign's clock has something due. */
  readonly clockIn: number | null;
}

/**
 * Folds the next batch of a campaign's facts into the ledger, in one transaction: locks its cursor,
 * reads, folds, writes rows, sums and cursor, and commits (design §5, Exactly once). A crash at any
 * point leaves the ledger as before the batch or after it.
 */
export async function settleCampaign(options: SettleOptions, campaignId: string): Promise<Settled> {
  try {
    return await options.pool.begin((sql) => settleLocked(options, sql, campaignId));
  } catch (error) {
    if (!(error instanceof FactError)) throw error;
    // Reading the same fact again will fail again: only a person can help this campaign.
    await stopCampaign(options.pool, campaignId, error.message);
    return { ...NOTHING, outcome: 'stopped' };
  }
}

const NOTHING: Settled = {
  outcome: 'idle',
  events: 0,
  rolledBack: 0,
  discrepancies: 0,
  clockIn: null,
};

async function settleLocked(
  options: SettleOptions,
  sql: Sql,
  campaignId: string,
): Promise<Settled> {
  const locked = await lockCursor(sql, campaignId);
  if (locked === undefined) return { ...NOTHING, outcome: 'busy' };
  if (locked.stopped) return { ...NOTHING, outcome: 'stopped' };
  const heads = await readHeads(sql);
  if (heads === undefined) return NOTHING;

  const found = await readFacts(sql, heads.indexerSchema, campaignId, locked.at, options.batchSize);
  if (!found.cursorPresent) {
    const verdict = await judgeMissing(options.chain, locked, found.indexer);
    if (verdict !== 'gone') return await waitForFact(sql, locked, verdict);
  }
  const { cursor, batch, rolledBack } = found.cursorPresent
    ? { cursor: locked, batch: found, rolledBack: 0 }
    : await backToCommon(options, sql, heads.indexerSchema, locked);
  if (locked.missingMs !== null) await markMissing(sql, campaignId, false);

  const folded = await foldBatch(options, sql, cursor, batch.facts);
  const settledTime = heads.settled?.timestamp ?? null;
  const clockNext = await keepTime(sql, cursor, folded, settledTime, { always: rolledBack > 0 });
  if (folded.length > 0 || rolledBack > 0) await notifySettled(sql, campaignId);
  return {
    outcome: batch.facts.length === 0 ? 'idle' : 'folded',
    events: batch.facts.length,
    rolledBack,
    discrepancies: folded.reduce((total, one) => total + one.discrepancies.length, 0),
    clockIn: clockNext === null || settledTime === null ? null : clockNext - settledTime,
  };
}

async function waitForFact(
  sql: Sql,
  cursor: Cursor,
  verdict: 'wait' | 'vanished',
): Promise<Settled> {
  if (verdict === 'wait') return { ...NOTHING, outcome: 'waiting' };
  if ((cursor.missingMs ?? 0) < FINALIZED_GRACE_MS) {
    await markMissing(sql, cursor.campaignId, true);
    return { ...NOTHING, outcome: 'waiting' };
  }
  const { eventId, blockNumber, blockHash } = cursor.at ?? {};
  await stopCampaign(
    sql,
    cursor.campaignId,
    `finalized event ${eventId} of block ${blockNumber} (${blockHash}) is missing from the indexer`,
  );
  return { ...NOTHING, outcome: 'stopped' };
}

/** Goes back to the last event that the ledger and the chain have in common (design §5, Reorgs). */
async function backToCommon(
  options: SettleOptions,
  sql: Sql,
  schema: string,
  locked: Cursor,
): Promise<{ cursor: Cursor; batch: FactBatch; rolledBack: number }> {
  const { campaignId } = locked;
  const common = await lastCommonEvent(sql, schema, campaignId);
  const seq = common?.seq ?? 0;
  const digest = common?.digest ?? EMPTY_DIGEST;
  await rollBack(sql, campaignId, seq);
  const at = common ?? null;
  await moveCursor(sql, campaignId, { seq, at, digest });
  const batch = await readFacts(sql, schema, campaignId, at, options.batchSize);
  if (!batch.cursorPresent) {
    throw new Error(`campaign ${campaignId}: the indexer changed while rolling back; trying again`);
  }
  return { cursor: { ...locked, seq, at, digest }, batch, rolledBack: locked.seq - seq };
}

async function foldBatch(
  { keccak256 }: SettleOptions,
  sql: Sql,
  cursor: Cursor,
  facts: readonly Fact[],
): Promise<readonly Folded[]> {
  const last = facts.at(-1);
  if (last === undefined) return [];
  const before = await loadState(sql, cursor, facts);
  const { state, applied } = applyAll(before, facts);
  let digest = cursor.digest;
  const folded = applied.map((one) => {
    digest = nextDigest(keccak256, digest, one);
    return { ...one, digest };
  });
  const at = { eventId: last.id, blockNumber: last.blockNumber, blockHash: last.blockHash };
  await Promise.all([
    writeFolded(sql, state, folded),
    moveCursor(sql, cursor.campaignId, { seq: state.seq, at, digest }),
  ]);
  await keepPolicy(sql, state, Math.max(cursor.clock, last.timestamp));
  return folded;
}

/**
 * Brings the campaign's clock to the settled block's time where something is due by then, or where
 * a reorg put it back; and notes what is due next.
 */
async function keepTime(
  sql: Sql,
  cursor: Cursor,
  folded: readonly Folded[],
  settledTime: number | null,
  { always }: { readonly always: boolean },
): Promise<number | null> {
  const { campaignId } = cursor;
  const changed = always || folded.length > 0;
  const next = changed ? await scheduleClock(sql, campaignId) : cursor.clockNext;
  if (settledTime === null) return next;
  const due = next !== null && next <= settledTime;
  if (!due && settledTime >= cursor.clock) return next;
  await moveClock(sql, campaignId, cursor.clock, settledTime);
  if (cursor.seq > 0 || folded.length > 0) {
    const { standing } = await loadCampaign(sql, campaignId);
    const policies = await loadPolicies(sql, campaignId);
    await keepPolicy(sql, { campaignId, standing, policies }, settledTime);
  }
  return await scheduleClock(sql, campaignId);
}

async function keepPolicy(
  sql: Sql,
  state: Pick<CampaignState, 'campaignId' | 'standing' | 'policies'>,
  clock: number,
): Promise<void> {
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
  await writeCurrentPolicy(sql, state.campaignId, policy, score);
}
