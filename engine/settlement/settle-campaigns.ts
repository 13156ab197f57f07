import { EMPTY_DIGEST, type Keccak256 } from '../core/digest.ts';
import type { Pool, Sql } from '../db/connection.ts';
import {
  type FactBatch,
  type FactRef,
  type JournalMatch,
  matchJournal,
  readCampaignFacts,
  readFacts,
} from '../db/facts.ts';
import {
  type Heads,
  holdRollbackMark,
  markRollback,
  readHeads,
  type SettledBlock,
} from '../db/heads.ts';
import { notifySettled } from '../db/notify.ts';
import { takeBack } from '../db/write/changes.ts';
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
import { type Chain, failingAsUnavailable } from './chain.ts';
import { TryAgainError } from './failure-kind.ts';
import { handleFailure } from './failures.ts';
import { foldBatch } from './fold-batch.ts';
import { keepTime } from './keep-time.ts';
import { classifyMissingFact, LOST_FACT_GRACE_MS, type MissingFact } from './missing.ts';

export interface SettleOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly keccak256: Keccak256;
  /** Facts folded in one transaction, at most. */
  readonly batchSize: number;
}

/** What one look at a campaign came to. */
export interface Settled {
  readonly campaignId: string;
  /**
   * `folded` there may be more; `idle` nothing new; `waiting` the fact at the cursor is missing, and
   * it is not sure to be gone, or the next one is not what the chain was seen to have; `busy` another
   * worker has the campaign; `stopped` it needs a person.
   */
  readonly outcome: 'folded' | 'idle' | 'waiting' | 'busy' | 'stopped';
  readonly events: number;
  /** Whether as many events were folded as it was given room for: there may be more at once. */
  readonly full: boolean;
  /** Events taken back because the chain replaced them. */
  readonly rolledBack: number;
  readonly discrepancies: number;
}

/**
 * Folds the next batch of facts of one campaign or of several into the ledger, in one transaction:
 * locks their cursors, reads, folds, writes rows, sums and cursors, and commits (design §5, Exactly
 * once). A crash at any point leaves the ledger as before the batch or after it. Several share the
 * room of a batch evenly; what each does alone, it does together with others, too.
 * @returns what each came to, in the order of their ids.
 * @throws where there are several and one of them cannot be settled: nothing of any is done, and
 *   each is to be tried by itself. Of one campaign, the error that is worth another try: one that its own
 *   data causes is counted, and stops the campaign when it has come often enough (`failures.ts`).
 */
export async function settleCampaigns(
  options: SettleOptions,
  campaignIds: readonly string[],
): Promise<readonly Settled[]> {
  // Errors of the chain are told from those of the campaigns' data.
  const asking = { ...options, chain: failingAsUnavailable(options.chain) };
  try {
    return await settleMarked(asking, campaignIds);
  } catch (error) {
    const [only, ...others] = campaignIds;
    if (only === undefined || others.length > 0) throw error;
    if ((await handleFailure(options.pool, only, error)) === 'retry') throw error;
    return [{ ...NOTHING, campaignId: only, outcome: 'stopped' }];
  }
}

/** A campaign must be rolled back, and the heads do not say yet that this is under way. */
class UnmarkedRollbackError extends TryAgainError {}

/** Settles in one transaction; marks the heads before a transaction that rolls back. */
async function settleMarked(
  options: SettleOptions,
  campaignIds: readonly string[],
): Promise<readonly Settled[]> {
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

const NOTHING = {
  outcome: 'idle',
  events: 0,
  full: false,
  rolledBack: 0,
  discrepancies: 0,
} as const;

/** A campaign that is locked, with what comes next of it. */
interface Look {
  readonly cursor: Cursor;
  readonly batch: FactBatch;
  readonly rolledBack: number;
  /** Why nothing is to be done for now: the fact at its cursor is missing. */
  readonly held: 'waiting' | 'stopped' | null;
}

async function settleLocked(
  options: SettleOptions,
  sql: Sql,
  campaignIds: readonly string[],
): Promise<readonly Settled[]> {
  const [locked, heads] = await Promise.all([lockCursors(sql, campaignIds), readHeads(sql)]);
  const going = heads === undefined ? [] : locked.filter(({ stopped }) => !stopped);
  const settled = new Map<string, Settled>();
  if (heads !== undefined && going.length > 0) {
    const room = Math.max(1, Math.floor(options.batchSize / going.length));
    const looks = await lookAt(options, sql, heads, going, room);
    for (const one of await settleLooks(options, sql, looks, room, heads.settled)) {
      settled.set(one.campaignId, one);
    }
  }
  const stopped = new Map(locked.map((cursor) => [cursor.campaignId, cursor.stopped]));
  return campaignIds.map(
    (campaignId) =>
      settled.get(campaignId) ?? {
        ...NOTHING,
        campaignId,
        outcome: outcomeOf(stopped.get(campaignId)),
      },
  );
}

/** Of a campaign at which nothing was to be done. @param stopped `undefined` where it is not locked. */
function outcomeOf(stopped: boolean | undefined): Settled['outcome'] {
  if (stopped === undefined) return 'busy';
  return stopped ? 'stopped' : 'idle';
}

/** Reads what comes next of locked campaigns, and takes back what the chain replaced. */
async function lookAt(
  options: SettleOptions,
  sql: Sql,
  heads: Heads,
  cursors: readonly Cursor[],
  room: number,
): Promise<readonly Look[]> {
  const batches = await readFacts(sql, heads.indexerSchema, cursors, room);
  const looks: Look[] = [];
  for (const [i, cursor] of cursors.entries()) {
    const batch = batches[i];
    if (batch === undefined) throw new Error(`campaign ${cursor.campaignId} was not read`);
    looks.push(await lookAtOne(options, sql, heads, { cursor, batch }, room));
  }
  return looks;
}

async function lookAtOne(
  { chain }: SettleOptions,
  sql: Sql,
  heads: Heads,
  { cursor, batch }: Pick<Look, 'cursor' | 'batch'>,
  room: number,
): Promise<Look> {
  const { campaignId, missingMs } = cursor;
  if (batch.cursorPresent) {
    if (missingMs !== null) await markMissing(sql, campaignId, false);
    return { cursor, batch, rolledBack: 0, held: null };
  }
  const match = await matchJournal(sql, heads.indexerSchema, campaignId);
  const { missing } = match;
  // The indexer may have brought the fact back since the batch was read.
  const why = missing ? await classifyMissingFact(chain, missing, batch.indexer, heads) : 'waiting';
  if (why === 'replaced') {
    if (!(await holdRollbackMark(sql))) throw new UnmarkedRollbackError();
    return await rollBackTo(sql, heads.indexerSchema, cursor, match, room);
  }
  const held = await waitForFact(sql, cursor, missing, why);
  return { cursor, batch, rolledBack: 0, held };
}

/** Folds and writes what was read, and brings the campaigns' clocks to the settled block's time. */
async function settleLooks(
  { keccak256 }: SettleOptions,
  sql: Sql,
  looks: readonly Look[],
  room: number,
  settledBlock: SettledBlock | null,
): Promise<readonly Settled[]> {
  const free = looks.filter(({ held }) => held === null);
  const isFull = ({ batch }: Look) => batch.facts.length >= room;
  // While there is more, the settled block waits for it; and announcing takes its turn at a lock that
  // all commits of the server share.
  const announced = free.some(
    (look) => look.rolledBack > 0 || (look.batch.facts.length > 0 && !isFull(look)),
  );
  const [after] = await Promise.all([
    foldBatch(
      keccak256,
      sql,
      free.map(({ cursor, batch }) => ({ cursor, facts: batch.facts })),
    ),
    announced ? notifySettled(sql) : undefined,
    noteLate(sql, free, settledBlock),
  ]);
  const folded = new Map(after.map((one) => [one.cursor.campaignId, one]));
  await keepTime(
    sql,
    free.map(({ cursor, rolledBack }) => ({
      cursor: folded.get(cursor.campaignId)?.cursor ?? cursor,
      // Of what was taken back, nothing may show, where nothing came in its place.
      shrunk: rolledBack > 0 && folded.get(cursor.campaignId)?.folded.length === 0,
    })),
    settledBlock?.timestamp ?? null,
  );
  const failed = free.filter(({ cursor }) => cursor.failures > 0);
  if (failed.length > 0) {
    await clearFailures(
      sql,
      failed.map(({ cursor }) => cursor.campaignId),
    );
  }
  return looks.map((look): Settled => {
    const { campaignId } = look.cursor;
    if (look.held !== null) return { ...NOTHING, campaignId, outcome: look.held };
    const { facts, blocked } = look.batch;
    const discrepancies = (folded.get(campaignId)?.folded ?? []).reduce(
      (total, one) => total + one.discrepancies.length,
      0,
    );
    return {
      campaignId,
      outcome: facts.length > 0 ? 'folded' : blocked ? 'waiting' : 'idle',
      events: facts.length,
      full: isFull(look),
      rolledBack: look.rolledBack,
      discrepancies,
    };
  });
}

/**
 * Notes campaigns whose facts come below the settled block, as of one that was stopped: who publishes changes
 * looks for them above it.
 */
async function noteLate(
  sql: Sql,
  looks: readonly Look[],
  settled: SettledBlock | null,
): Promise<void> {
  for (const { cursor, batch } of looks) {
    const [first] = batch.facts;
    if (first === undefined || settled === null || first.blockNumber > settled.number) continue;
    await takeBack(sql, cursor.campaignId, cursor.seq);
  }
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
  const event = `event ${fact.eventId} of block ${fact.blockNumber} (${fact.blockHash})`;
  const reason =
    why === 'lost'
      ? `${event} is missing from the indexer, and the chain still has that block`
      : `${event} was final and has been replaced by the chain`;
  await stopCampaign(sql, campaignId, reason);
  return 'stopped';
}

/** Rolls back to the last event that the ledger and the chain have in common (design §5, Reorgs). */
async function rollBackTo(
  sql: Sql,
  schema: string,
  locked: Cursor,
  { common: at }: JournalMatch,
  room: number,
): Promise<Look> {
  const { campaignId } = locked;
  const seq = at?.seq ?? 0;
  const digest = at?.digest ?? EMPTY_DIGEST;
  await rollBack(sql, campaignId, seq);
  const [clocks] = await Promise.all([
    moveCursors(sql, [{ campaignId, seq, at, digest }]),
    takeBack(sql, campaignId, seq),
    // Facts that the check has passed may come back, as after a crash of the indexer.
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
