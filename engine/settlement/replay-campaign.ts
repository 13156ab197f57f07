import { EMPTY_DIGEST, type Keccak256 } from '../core/digest.ts';
import type { Hex } from '../core/events.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { readCampaignFacts } from '../db/facts.ts';
import { notifySettled } from '../db/notify.ts';
import { digestAt, lastEventBelow } from '../db/read/replay-anchor.ts';
import { takeBack } from '../db/write/changes.ts';
import { type Cursor, moveCursors, startCampaign, waitForCursor } from '../db/write/cursor.ts';
import {
  differingRows,
  setAside,
  type TableDifference,
  wipeCampaign,
} from '../db/write/replay-rows.ts';
import { rollBack } from '../db/write/rollback.ts';
import { failureKind, failureReason } from './failure-kind.ts';
import { foldBatch } from './fold-batch.ts';
import { differingCursor, type FirstDifference, firstDifference } from './replay-difference.ts';

export interface ReplayCampaignOptions {
  readonly pool: Pool;
  readonly keccak256: Keccak256;
  readonly indexerSchema: string;
  /** Events at or above it are folded anew. */
  readonly fromBlock: number;
  /** Changes nothing: all is undone after it was compared. */
  readonly shadow: boolean;
  /** The block as of which digests are told. */
  readonly digestBlock: number;
  /** Facts folded at once, at most: memory stays flat, however many there are. */
  readonly batchSize: number;
  readonly onEvents: (folded: number) => void;
}

/** What the refolding of a campaign came to. */
export interface CampaignReplay {
  readonly campaignId: string;
  /**
   * `equal` to the last row; `differs` and was left (`shadow`); `repaired` the refolded rows are in
   * place; `waiting` the indexer does not hold what is needed; `failed` a fact cannot be folded.
   */
  readonly outcome: 'equal' | 'differs' | 'repaired' | 'waiting' | 'failed';
  /** Events folded anew. */
  readonly events: number;
  /** Whether settlement had stopped the campaign, and it goes on now. */
  readonly started: boolean;
  readonly digests: { readonly before: Hex | undefined; readonly after: Hex | undefined } | null;
  readonly first: FirstDifference | null;
  readonly tables: readonly TableDifference[];
  /** Why, where it waits or failed. */
  readonly reason: string | null;
}

/** Milliseconds to wait for a worker that has the campaign: a batch is far shorter. */
const LOCK_TIMEOUT_MS = 60_000;

/** PostgreSQL's codes: a lock was not to be had in time, and a key is there already. */
const LOCK_NOT_AVAILABLE = '55P03';
const UNIQUE_VIOLATION = '23505';

/** Undoes a transaction that came to its end, and carries out what it found. */
class Undo extends Error {
  constructor(readonly result: CampaignReplay) {
    super('undone');
  }
}

/**
 * Rolls a campaign back to just below a block and folds it again from facts, in one transaction
 * under its cursor's lock: readers see the rows before it, or those after it. Unless they differ,
 * and it is no shadow, all is undone, so that equal rows stay the very rows they were.
 */
export async function replayCampaign(
  options: ReplayCampaignOptions,
  campaignId: string,
): Promise<CampaignReplay> {
  try {
    return await options.pool.begin(async (sql) => {
      const result = await replayLocked(options, sql, campaignId);
      if (result.outcome !== 'repaired' && !result.started) throw new Undo(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Undo) return error.result;
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
  if (reason !== null) return { ...nothing(campaignId), outcome: 'waiting', reason };

  const anchor = await lastEventBelow(sql, campaignId, options.fromBlock);
  const from = anchor?.seq ?? 0;
  const before = await digestAt(sql, campaignId, options.digestBlock);
  await setAside(sql, campaignId, from);
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
  if (typeof end === 'string') return { ...nothing(campaignId), outcome: 'waiting', reason: end };

  const events = end.seq - from;
  const tables = [...(await differingRows(sql, campaignId, from)), ...differingCursor(cursor, end)];
  const after = await digestAt(sql, campaignId, options.digestBlock);
  const started = cursor.stopped && !options.shadow;
  if (started) await startCampaign(sql, campaignId);
  if (tables.length > 0 || started) await notifySettled(sql);
  const outcome = tables.length === 0 ? 'equal' : options.shadow ? 'differs' : 'repaired';
  const first = await firstDifference(sql, campaignId, tables);
  // Whoever follows the ledger was told rows that are not there any more.
  if (first !== null) await takeBack(sql, campaignId, first.seq - 1);
  return {
    ...nothing(campaignId),
    outcome,
    events,
    started,
    digests: { before, after },
    first,
    tables,
  };
}

/** Why the campaign cannot be folded anew just now; `null` where it can. */
async function whyWait(
  { indexerSchema }: ReplayCampaignOptions,
  sql: Sql,
  cursor: Cursor,
): Promise<string | null> {
  const found = await readCampaignFacts(sql, indexerSchema, cursor, 1);
  if (!found.indexer.ready) return 'the indexer is not ready: try again when it is';
  // A stopped campaign is one whose fact is gone for good, or could not be folded: this is the way out.
  if (found.cursorPresent || cursor.stopped) return null;
  return 'the indexer does not hold its newest event: settlement rolls a reorg back by itself';
}

/**
 * Folds the facts after a cursor up to where the campaign stood, a batch at a time.
 * @returns where it stands then; a sentence where facts are missing that it stood on, or has to wait for.
 */
async function refold(
  { keccak256, indexerSchema, batchSize, onEvents }: ReplayCampaignOptions,
  sql: Sql,
  start: Cursor,
  stood: Cursor,
): Promise<Cursor | string> {
  // What came since is settlement's to fold; a stopped campaign takes all there is.
  const last = stood.stopped ? null : (stood.at?.eventId ?? null);
  let cursor = start;
  for (;;) {
    const batch = await readCampaignFacts(sql, indexerSchema, cursor, batchSize);
    if (!batch.cursorPresent) {
      return `the indexer does not hold its event ${cursor.seq}: replay from an earlier block`;
    }
    const facts = last === null ? batch.facts : batch.facts.filter(({ id }) => id <= last);
    const [after] = await foldBatch(keccak256, sql, [{ cursor, facts }]);
    if (after !== undefined) cursor = after.cursor;
    if (facts.length > 0) onEvents(cursor.seq - start.seq);
    if (batch.facts.length >= batchSize && facts.length === batch.facts.length) continue;
    const short = last === null ? batch.blocked : cursor.at?.eventId !== last;
    return short ? 'facts of it are yet to be compared with the chain: try again' : cursor;
  }
}

function nothing(campaignId: string): CampaignReplay {
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

/** What the person who replays can do something about; anything else is thrown on. */
function explained(campaignId: string, error: unknown): CampaignReplay {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === LOCK_NOT_AVAILABLE) {
    const reason = 'a worker has held it for a minute: try again';
    return { ...nothing(campaignId), outcome: 'waiting', reason };
  }
  if (code === UNIQUE_VIOLATION) {
    const reason = 'rows below that block are damaged too: replay from block 0';
    return { ...nothing(campaignId), outcome: 'failed', reason };
  }
  if (failureKind(error) === 'data') {
    return { ...nothing(campaignId), outcome: 'failed', reason: failureReason(error) };
  }
  throw error;
}
