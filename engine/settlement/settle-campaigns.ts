import type { Chain } from '../chain/chain.ts';
import { EMPTY_DIGEST, type Keccak256 } from '../core/digest.ts';
import type { Pool, Sql } from '../db/connection.ts';
import {
  type Heads,
  holdRollbackMark,
  markRollback,
  readHeads,
  type SettledBlock,
} from '../db/heads.ts';
import {
  type FactBatch,
  type FactRef,
  type JournalMatch,
  matchJournal,
  readCampaignFacts,
  readFacts,
} from '../db/indexer/facts.ts';
import { notifySettled } from '../db/notify.ts';
import { markPublicationsStale, recordRetractedSales } from '../db/write/changes.ts';
import {
  type Cursor,
  clearFailures,
  lockCursors,
  markMissing,
  moveCursors,
  noteBehind,
  stopCampaign,
} from '../db/write/cursor.ts';
import { rollBack } from '../db/write/rollback.ts';
import { advanceClocks } from './advance-clocks.ts';
import { TryAgainError } from './failure-kind.ts';
import { handleFailure } from './failures.ts';
import { type FoldedFacts, foldBatch } from './fold-batch.ts';
import { classifyMissingFact, LOST_FACT_GRACE_MS, type MissingFact } from './missing-fact.ts';

/** Everything that settling needs. */
export interface SettleOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly keccak256: Keccak256;
  /** Facts folded in one transaction. */
  readonly batchSize: number;
  readonly beforeCommit?: BeforeCommit;
}

/**
 * Called in the transaction of a batch that folded something and rolled nothing back, when all of it is
 * written and before the commit.
 * @returns true if it moved the settled block past the batch, so that the leader need not be woken.
 * @throws if the transaction must be rolled back; that never counts as a failure of a campaign.
 */
export type BeforeCommit = (sql: Sql) => Promise<boolean>;

/** Result of a batch for one campaign. */
export interface BatchResult {
  readonly campaignId: string;
  /**
   * `folded`: events were folded. `idle`: nothing is new. `waiting`: the fact at the cursor is missing and
   * may come back, or the next one is not checked yet. `busy`: another worker has locked the campaign.
   * `stopped`: an operator must act.
   */
  readonly outcome: 'folded' | 'idle' | 'waiting' | 'busy' | 'stopped';
  readonly events: number;
  /** True if the batch hit its size limit, so more events may be waiting. */
  readonly hitLimit: boolean;
  /** Number of events rolled back because the chain replaced them. */
  readonly rolledBack: number;
  readonly discrepancies: number;
}

/**
 * Folds the next batch of facts of one or several campaigns into the ledger, in one transaction: locks
 * their cursors, reads, folds, writes rows, totals and cursors, and commits
 * (docs/how-it-works/settlement.md#exactly-once). A crash leaves the ledger either as before the batch or as after
 * it. Several campaigns share the size of a batch evenly; the result of each is as if it were alone.
 * @returns the result of each campaign, in the order of the ids.
 * @throws if one of several campaigns fails: nothing is done, and the caller retries each alone. For a
 *   single campaign, throws errors that are worth a retry; an error that its own data causes is counted,
 *   and stops the campaign after some attempts (`failures.ts`).
 */
export async function settleCampaigns(
  options: SettleOptions,
  campaignIds: readonly string[],
): Promise<readonly BatchResult[]> {
  try {
    return await settleMarked(options, campaignIds);
  } catch (error) {
    const [only, ...others] = campaignIds;
    if (only === undefined || others.length > 0) throw error;
    if ((await handleFailure(options.pool, only, error)) === 'retry') throw error;
    return [{ ...EMPTY_RESULT, campaignId: only, outcome: 'stopped' }];
  }
}

/** Thrown if a campaign must be rolled back before the heads are marked as rolling back. */
class UnmarkedRollbackError extends TryAgainError {}

/** Settles in one transaction; marks the heads before a transaction that rolls back. */
async function settleMarked(
  options: SettleOptions,
  campaignIds: readonly string[],
): Promise<readonly BatchResult[]> {
  const settle = () => options.pool.begin((sql) => settleLocked(options, sql, campaignIds));
  try {
    return await settle();
  } catch (error) {
    if (!(error instanceof UnmarkedRollbackError)) throw error;
    // Committed before the first rollback, so that no reader sees two forks without the mark.
    await markRollback(options.pool);
    return await settle();
  }
}

const EMPTY_RESULT = {
  outcome: 'idle',
  events: 0,
  hitLimit: false,
  rolledBack: 0,
  discrepancies: 0,
} as const;

/** A locked campaign, with its next facts. */
interface LockedCampaign {
  readonly cursor: Cursor;
  readonly batch: FactBatch;
  readonly rolledBack: number;
  /** Outcome if the fact at its cursor is missing: nothing is folded then. */
  readonly held: 'waiting' | 'stopped' | null;
}

async function settleLocked(
  options: SettleOptions,
  sql: Sql,
  campaignIds: readonly string[],
): Promise<readonly BatchResult[]> {
  const [locked, heads] = await Promise.all([lockCursors(sql, campaignIds), readHeads(sql)]);
  const running = heads === undefined ? [] : locked.filter(({ stopped }) => !stopped);
  const results = new Map<string, BatchResult>();
  if (heads !== undefined && running.length > 0) {
    const room = Math.max(1, Math.floor(options.batchSize / running.length));
    const campaigns = await readNext(options, sql, heads, running, room);
    for (const one of await foldNext(options, sql, campaigns, room, heads.settled)) {
      results.set(one.campaignId, one);
    }
  }
  const stopped = new Map(locked.map((cursor) => [cursor.campaignId, cursor.stopped]));
  return campaignIds.map(
    (campaignId) =>
      results.get(campaignId) ?? {
        ...EMPTY_RESULT,
        campaignId,
        outcome: outcomeOf(stopped.get(campaignId)),
      },
  );
}

/** Outcome of a campaign without work. @param stopped `undefined` if the lock was not obtained. */
function outcomeOf(stopped: boolean | undefined): BatchResult['outcome'] {
  if (stopped === undefined) return 'busy';
  return stopped ? 'stopped' : 'idle';
}

/** Reads the next facts of locked campaigns, and rolls back events that the chain replaced. */
async function readNext(
  options: SettleOptions,
  sql: Sql,
  heads: Heads,
  cursors: readonly Cursor[],
  room: number,
): Promise<readonly LockedCampaign[]> {
  const batches = await readFacts(sql, heads.indexerSchema, cursors, room);
  const campaigns: LockedCampaign[] = [];
  for (const [i, cursor] of cursors.entries()) {
    const batch = batches[i];
    if (batch === undefined) throw new Error(`campaign ${cursor.campaignId} was not read`);
    campaigns.push(await readNextOne(options, sql, heads, { cursor, batch }, room));
  }
  return campaigns;
}

async function readNextOne(
  { chain }: SettleOptions,
  sql: Sql,
  heads: Heads,
  { cursor, batch }: Pick<LockedCampaign, 'cursor' | 'batch'>,
  room: number,
): Promise<LockedCampaign> {
  const { campaignId, missingMs } = cursor;
  if (batch.cursorPresent) {
    if (missingMs !== null) await markMissing(sql, campaignId, false);
    return { cursor, batch, rolledBack: 0, held: null };
  }
  const match = await matchJournal(sql, heads.indexerSchema, campaignId);
  const { missing } = match;
  // The indexer may have inserted the fact again since the batch was read.
  const why = missing
    ? await classifyMissingFact(chain, missing, batch.indexer, heads).catch(tryAgain)
    : 'waiting';
  if (why === 'replaced') {
    if (!(await holdRollbackMark(sql))) throw new UnmarkedRollbackError();
    return await rollBackTo(sql, heads.indexerSchema, cursor, match, room);
  }
  const held = await waitForFact(sql, cursor, missing, why);
  return { cursor, batch, rolledBack: 0, held };
}

/** An error of the chain says nothing about the campaign whose fact is missing. */
function tryAgain(cause: unknown): never {
  throw new TryAgainError(cause instanceof Error ? cause.message : String(cause), { cause });
}

/** Folds and writes the facts, and advances the campaigns' clocks to the settled block's time. */
async function foldNext(
  { keccak256, beforeCommit }: SettleOptions,
  sql: Sql,
  campaigns: readonly LockedCampaign[],
  room: number,
  settledBlock: SettledBlock | null,
): Promise<readonly BatchResult[]> {
  const free = campaigns.filter(({ held }) => held === null);
  // No notification while more facts wait: the settled block cannot move yet, and NOTIFY takes a lock
  // that all commits of the server share.
  const mayAdvance = free.some(
    (one) => one.rolledBack > 0 || (one.batch.facts.length > 0 && !hitsLimit(one, room)),
  );
  const advancesHere = mayAdvance && free.every(({ rolledBack }) => rolledBack === 0);
  const advance = advancesHere ? beforeCommit : undefined;
  const [after] = await Promise.all([
    foldBatch(
      keccak256,
      sql,
      free.map(({ cursor, batch }) => ({ cursor, facts: batch.facts })),
    ),
    mayAdvance && advance === undefined ? notifySettled(sql) : undefined,
    recordLate(sql, free, settledBlock),
  ]);
  const folded = new Map(after.map((one) => [one.cursor.campaignId, one]));
  await advanceClocks(
    sql,
    free.map(({ cursor, rolledBack }) => ({
      cursor: folded.get(cursor.campaignId)?.cursor ?? cursor,
      // After a rollback with no replacement events, derived columns must be recomputed.
      rolledBack: rolledBack > 0 && folded.get(cursor.campaignId)?.folded.length === 0,
    })),
    settledBlock?.timestamp ?? null,
  );
  const recovered = free.filter(({ cursor }) => cursor.failures > 0);
  if (recovered.length > 0) {
    await clearFailures(
      sql,
      recovered.map(({ cursor }) => cursor.campaignId),
    );
  }
  if (advance !== undefined && !(await advance(sql).catch(tryAgain))) await notifySettled(sql);
  return campaigns.map((one) => resultOf(one, folded.get(one.cursor.campaignId), room));
}

/** True if a campaign has as many facts as it was given room for, so that more may wait. */
function hitsLimit({ batch }: LockedCampaign, room: number): boolean {
  return batch.facts.length >= room;
}

/** @param folded what was folded; `undefined` for a campaign that waits. */
function resultOf(one: LockedCampaign, folded: FoldedFacts | undefined, room: number): BatchResult {
  const { campaignId } = one.cursor;
  if (one.held !== null) return { ...EMPTY_RESULT, campaignId, outcome: one.held };
  const { facts, blocked } = one.batch;
  return {
    campaignId,
    outcome: facts.length > 0 ? 'folded' : blocked ? 'waiting' : 'idle',
    events: facts.length,
    hitLimit: hitsLimit(one, room),
    rolledBack: one.rolledBack,
    discrepancies: (folded?.folded ?? []).reduce(
      (total, { discrepancies }) => total + discrepancies.length,
      0,
    ),
  };
}

/**
 * Records campaigns whose facts are below the settled block, such as one that was stopped: the publisher
 * of changes only searches above it.
 */
async function recordLate(
  sql: Sql,
  campaigns: readonly LockedCampaign[],
  settled: SettledBlock | null,
): Promise<void> {
  const late = campaigns.flatMap(({ cursor: { campaignId, seq }, batch }) => {
    const [first] = batch.facts;
    const isLate = first !== undefined && settled !== null && first.blockNumber <= settled.number;
    return isLate ? [{ campaignId, afterSeq: seq }] : [];
  });
  await markPublicationsStale(sql, late);
}

async function waitForFact(
  sql: Sql,
  { campaignId, missingMs }: Cursor,
  fact: FactRef | undefined,
  why: Exclude<MissingFact, 'replaced'>,
): Promise<'waiting' | 'stopped'> {
  if (fact === undefined || why === 'waiting') {
    if (missingMs !== null) await markMissing(sql, campaignId, false);
    return 'waiting';
  }
  if ((missingMs ?? 0) < LOST_FACT_GRACE_MS) {
    await markMissing(sql, campaignId, true);
    return 'waiting';
  }
  const log = `log ${fact.logIndex} of block ${fact.blockNumber} (${fact.blockHash})`;
  const reason =
    why === 'lost'
      ? `${log} is missing from the indexer, and the chain still has that block`
      : `${log} was final and has been replaced by the chain`;
  await stopCampaign(sql, campaignId, reason);
  return 'stopped';
}

/** Rolls back to the last event that the ledger and the chain have in common (docs/how-it-works/settlement.md#reorgs). */
async function rollBackTo(
  sql: Sql,
  schema: string,
  locked: Cursor,
  { common: at }: JournalMatch,
  room: number,
): Promise<LockedCampaign> {
  const { campaignId } = locked;
  const seq = at?.seq ?? 0;
  const digest = at?.digest ?? EMPTY_DIGEST;
  await recordRetractedSales(sql, campaignId, seq, sql`ledger.sale`);
  await rollBack(sql, campaignId, seq);
  const [clocks] = await Promise.all([
    moveCursors(sql, [{ campaignId, seq, at, digest }]),
    markPublicationsStale(sql, [{ campaignId, afterSeq: seq }]),
    // Facts below the checked head may come back, as after a crash of the indexer.
    noteBehind(sql, campaignId),
  ]);
  const batch = await readCampaignFacts(sql, schema, { campaignId, at }, room);
  if (!batch.cursorPresent) {
    throw new TryAgainError(`campaign ${campaignId}: the indexer changed while rolling back`);
  }
  const clockNext = clocks.get(campaignId) ?? null;
  const cursor = { ...locked, seq, at, digest, clockNext };
  return { cursor, batch, rolledBack: locked.seq - seq, held: null };
}
