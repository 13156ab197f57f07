import { EMPTY_DIGEST, type Keccak256 } from '../core/digest.ts';
import { FactError } from '../core/events.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { type FactBatch, lastCommonEvent, readFacts } from '../db/facts.ts';
import { readHeads } from '../db/heads.ts';
import { notifySettled } from '../db/notify.ts';
import { takeBack } from '../db/write/changes.ts';
import { moveClock, scheduleClock } from '../db/write/clock.ts';
import { writeCurrentPolicy } from '../db/write/current-policy.ts';
import {
  type Cursor,
  lockCursor,
  markMissing,
  moveCursor,
  stopCampaign,
} from '../db/write/cursor.ts';
import { eventTime, loadCampaign, loadPolicies } from '../db/write/load.ts';
import { rollBack } from '../db/write/rollback.ts';
import type { Chain } from './chain.ts';
import { currentPolicy, foldBatch, policyClock } from './fold-batch.ts';
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
   * it is not sure to be gone, or the next one is not what the chain was seen to have; `busy` another worker has the campaign; `stopped` it needs a person.
   */
  readonly outcome: 'folded' | 'idle' | 'waiting' | 'busy' | 'stopped';
  readonly events: number;
  /** Events taken back because the chain replaced them. */
  readonly rolledBack: number;
  readonly discrepancies: number;
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
};

async function settleLocked(
  options: SettleOptions,
  sql: Sql,
  campaignId: string,
): Promise<Settled> {
  const [locked, heads] = await Promise.all([lockCursor(sql, campaignId), readHeads(sql)]);
  if (locked === undefined) return { ...NOTHING, outcome: 'busy' };
  if (locked.stopped) return { ...NOTHING, outcome: 'stopped' };
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

  const read = batch.facts.length;
  // While there is more, the settled block waits for it; and announcing takes its turn at a lock that
  // all commits of the server share.
  const announced = rolledBack > 0 || (read > 0 && read < options.batchSize);
  const [{ folded, cursor: at }] = await Promise.all([
    foldBatch(options.keccak256, sql, cursor, batch.facts),
    announced ? notifySettled(sql, campaignId) : undefined,
  ]);
  // Of what was taken back, nothing may show, where nothing came in its place.
  const shrunk = rolledBack > 0 && folded.length === 0;
  await keepTime(sql, at, heads.settled?.timestamp ?? null, shrunk);
  return {
    outcome: batch.facts.length > 0 ? 'folded' : batch.blocked ? 'waiting' : 'idle',
    events: batch.facts.length,
    rolledBack,
    discrepancies: folded.reduce((total, one) => total + one.discrepancies.length, 0),
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
  const [clockNext] = await Promise.all([
    moveCursor(sql, campaignId, { seq, at, digest }),
    takeBack(sql, campaignId, seq),
  ]);
  const batch = await readFacts(sql, schema, campaignId, at, options.batchSize);
  if (!batch.cursorPresent) {
    throw new Error(`campaign ${campaignId}: the indexer changed while rolling back; trying again`);
  }
  return { cursor: { ...locked, seq, at, digest, clockNext }, batch, rolledBack: locked.seq - seq };
}

/**
 * Brings the campaign's clock to the settled block's time where something is due by then, or where
 * a reorg put it back; and notes what is due next.
 * @param shrunk whether the newest event is another than the policy in effect was reckoned at.
 */
async function keepTime(
  sql: Sql,
  cursor: Cursor,
  settledTime: number | null,
  shrunk: boolean,
): Promise<void> {
  const { campaignId, clockNext: next } = cursor;
  const due = settledTime !== null && next !== null && next <= settledTime;
  const to = due || (settledTime !== null && settledTime < cursor.clock) ? settledTime : null;
  if (to !== null) await moveClock(sql, campaignId, cursor.clock, to);
  if (to !== null || shrunk) await refreshPolicy(sql, cursor, to ?? cursor.clock);
  if (to !== null) await scheduleClock(sql, campaignId);
}

/** The policy in effect anew, as folding the same events alone would leave it. */
async function refreshPolicy(
  sql: Sql,
  { campaignId, seq }: Pick<Cursor, 'campaignId' | 'seq'>,
  clock: number,
): Promise<void> {
  if (seq === 0) return;
  const { standing } = await loadCampaign(sql, campaignId);
  const policies = await loadPolicies(sql, campaignId);
  const at = policyClock(clock, await eventTime(sql, campaignId, seq));
  await writeCurrentPolicy(sql, campaignId, currentPolicy({ standing, policies }, at));
}
