import { EMPTY_DIGEST, type Keccak256 } from '../core/digest.ts';
import type { Hex } from '../core/events.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { type FactRef, readCampaignFacts } from '../db/indexer/facts.ts';
import { notifySettled } from '../db/notify.ts';
import { digestAt, lastEventBelow } from '../db/read/system/replay-anchor.ts';
import { markPublicationsStale, recordRetractedSales } from '../db/write/changes.ts';
import { type Cursor, moveCursors, startCampaign, waitForCursor } from '../db/write/cursor.ts';
import { rebuildPartners } from '../db/write/partners.ts';
import {
  asideName,
  copyRowsAside,
  differingRows,
  restoreCalldata,
  type TableDifference,
  wipeCampaign,
} from '../db/write/replay-rows.ts';
import { rollBack } from '../db/write/rollback.ts';
import { failureKind, failureReason } from './failure-kind.ts';
import { foldBatch } from './fold-batch.ts';
import { differingCursor, type FirstDifference, firstDifference } from './replay-difference.ts';

/** Options of replaying one campaign. */
export interface ReplayCampaignOptions {
  readonly pool: Pool;
  readonly keccak256: Keccak256;
  readonly indexerSchema: string;
  /** Events at or above this block are folded again. */
  readonly fromBlock: number;
  /** True to compare only: everything is rolled back afterwards. */
  readonly shadow: boolean;
  /** Block as of which digests are returned. */
  readonly digestBlock: number;
  /** Facts folded in one step: memory stays flat, however many there are. */
  readonly batchSize: number;
  readonly onEvents: (folded: number) => void;
}

/** Result of replaying one campaign. */
export interface CampaignReplay {
  readonly campaignId: string;
  /**
   * `equal`: all rows are the same. `differs`: rows differ and were left (`shadow`). `repaired`: the new
   * rows have replaced the old ones. `waiting`: the indexer lacks a fact. `failed`: a fact cannot be folded.
   */
  readonly outcome: 'equal' | 'differs' | 'repaired' | 'waiting' | 'failed';
  /** Number of events folded again. */
  readonly events: number;
  /** True if settlement had stopped the campaign, and the replay has started it again. */
  readonly started: boolean;
  readonly digests: { readonly before: Hex | undefined; readonly after: Hex | undefined } | null;
  readonly first: FirstDifference | null;
  readonly tables: readonly TableDifference[];
  /** Why the replay waits or failed; `null` otherwise. */
  readonly reason: string | null;
}

/** Milliseconds to wait for a worker that has locked the campaign: a batch is far shorter. */
const LOCK_TIMEOUT_MS = 60_000;

/** PostgreSQL's codes for a lock timeout and a duplicate key. */
const LOCK_NOT_AVAILABLE = '55P03';
const UNIQUE_VIOLATION = '23505';

/** Thrown to roll the transaction back while returning its result. */
class RollbackWithResult extends Error {
  constructor(readonly result: CampaignReplay) {
    super('rolled back');
  }
}

/**
 * Rolls a campaign back to just below a block and folds it again from facts, in one transaction
 * under its cursor's lock: readers see the rows before it, or those after it. If they are equal, or for a
 * shadow replay, the transaction is rolled back, so that equal rows stay untouched.
 */
export async function replayCampaign(
  options: ReplayCampaignOptions,
  campaignId: string,
): Promise<CampaignReplay> {
  try {
    return await options.pool.begin(async (sql) => {
      const result = await replayLocked(options, sql, campaignId);
      if (result.outcome !== 'repaired' && !result.started) throw new RollbackWithResult(result);
      return result;
    });
  } catch (error) {
    if (error instanceof RollbackWithResult) return error.result;
    return explained(campaignId, error);
  }
}

async function replayLocked(
  options: ReplayCampaignOptions,
  sql: Sql,
  campaignId: string,
): Promise<CampaignReplay> {
  await sql`select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)`;
  const cursor = await waitForCursor(sql, campaignId);
  if (cursor === undefined) throw new Error(`campaign ${campaignId} has no cursor`);
  const reason = await whyWait(options, sql, cursor);
  if (reason !== null) return { ...emptyResult(campaignId), outcome: 'waiting', reason };

  const anchor = await lastEventBelow(sql, campaignId, options.fromBlock);
  const from = anchor?.seq ?? 0;
  const before = await digestAt(sql, campaignId, options.digestBlock);
  await copyRowsAside(sql, campaignId, from);
  if (from === 0) await wipeCampaign(sql, campaignId);
  else await rollBack(sql, campaignId, from);
  const start: Cursor = {
    ...cursor,
    seq: from,
    at: anchor ?? null,
    digest: anchor?.digest ?? EMPTY_DIGEST,
  };
  await moveCursors(sql, [start]);
  const end = await refold(options, sql, start, cursor);
  if (typeof end === 'string')
    return { ...emptyResult(campaignId), outcome: 'waiting', reason: end };
  await restoreCalldata(sql, campaignId);
  // The rows of the campaign are new, and say what it adds to the totals of several campaigns.
  if (from === 0) await rebuildPartners(sql, campaignId);

  const events = end.seq - from;
  const tables = [...(await differingRows(sql, campaignId, from)), ...differingCursor(cursor, end)];
  const after = await digestAt(sql, campaignId, options.digestBlock);
  const started = cursor.stopped && !options.shadow;
  if (started) await startCampaign(sql, campaignId);
  if (tables.length > 0 || started) await notifySettled(sql);
  const outcome = tables.length === 0 ? 'equal' : options.shadow ? 'differs' : 'repaired';
  const first = await firstDifference(sql, campaignId, tables);
  // Readers of the change stream have received rows that no longer exist.
  if (first !== null) {
    await markPublicationsStale(sql, [{ campaignId, afterSeq: first.seq - 1 }]);
    await recordRetractedSales(
      sql,
      campaignId,
      first.seq - 1,
      sql`pg_temp.${sql(asideName('sale'))}`,
    );
  }
  return {
    ...emptyResult(campaignId),
    outcome,
    events,
    started,
    digests: { before, after },
    first,
    tables,
  };
}

/** Why the campaign cannot be folded again at present; `null` if it can. */
async function whyWait(
  { indexerSchema }: ReplayCampaignOptions,
  sql: Sql,
  cursor: Cursor,
): Promise<string | null> {
  const found = await readCampaignFacts(sql, indexerSchema, cursor, 1);
  if (!found.indexer.ready) return 'the indexer is not ready: try again when it is';
  // The fact of a stopped campaign may be gone for good or impossible to fold: a replay repairs that.
  if (found.cursorPresent || cursor.stopped) return null;
  return 'the indexer does not hold its newest event: settlement rolls a reorg back automatically';
}

/**
 * Folds the facts after a cursor up to the campaign's previous position, a batch at a time.
 * @returns the new cursor; a sentence if facts are missing that were folded before, or are not checked yet.
 */
async function refold(
  { keccak256, indexerSchema, batchSize, onEvents }: ReplayCampaignOptions,
  sql: Sql,
  start: Cursor,
  previous: Cursor,
): Promise<Cursor | string> {
  // Later facts are left to settlement, except those of a stopped campaign.
  const last = previous.stopped ? null : previous.at;
  let cursor = start;
  for (;;) {
    const batch = await readCampaignFacts(sql, indexerSchema, cursor, batchSize);
    if (!batch.cursorPresent) {
      return `the indexer does not hold its event ${cursor.seq}: replay from an earlier block`;
    }
    const facts = last === null ? batch.facts : batch.facts.filter((fact) => !isAfter(fact, last));
    const [after] = await foldBatch(keccak256, sql, [{ cursor, facts }]);
    if (after !== undefined) cursor = after.cursor;
    if (facts.length > 0) onEvents(cursor.seq - start.seq);
    if (batch.facts.length >= batchSize && facts.length === batch.facts.length) continue;
    const short = last === null ? batch.blocked : cursor.at === null || isAfter(last, cursor.at);
    return short ? 'facts of it are yet to be compared with the chain: try again' : cursor;
  }
}

type Location = Pick<FactRef, 'blockNumber' | 'logIndex'>;

/** True if an event comes after another one in the order of the chain. */
function isAfter(one: Location, other: Location): boolean {
  const blocks = one.blockNumber - other.blockNumber;
  return blocks > 0 || (blocks === 0 && one.logIndex > other.logIndex);
}

function emptyResult(campaignId: string): CampaignReplay {
  return {
    campaignId,
    outcome: 'equal',
    events: 0,
    started: false,
    digests: null,
    first: null,
    tables: [],
    reason: null,
  };
}

/** Turns errors that an operator can act on into results, and throws all others again. */
function explained(campaignId: string, error: unknown): CampaignReplay {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === LOCK_NOT_AVAILABLE) {
    const reason = 'a worker has held it for a minute: try again';
    return { ...emptyResult(campaignId), outcome: 'waiting', reason };
  }
  if (code === UNIQUE_VIOLATION) {
    const reason = 'rows below that block are damaged too: replay from block 0';
    return { ...emptyResult(campaignId), outcome: 'failed', reason };
  }
  if (failureKind(error) === 'data') {
    return { ...emptyResult(campaignId), outcome: 'failed', reason: failureReason(error) };
  }
  throw error;
}
