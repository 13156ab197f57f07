import type { Hex } from '../../core/events.ts';
import type { Finality } from '../../core/finality.ts';
import type { Pool, Sql } from '../connection.ts';
import { type Heads, headColumns, headsRow, type SettledBlock } from '../heads.ts';
import type { StoredRow } from '../row.ts';

/** The settled block that a read is as of, and the blocks that decide how final an event is. */
export interface ReadHead {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds: the clock of states and holds. */
  readonly timestamp: number;
  readonly safeNumber: number | null;
  /** Highest final block; `null` also while the recorded one is no longer on the chain. */
  readonly finalizedNumber: number | null;
  /** True while campaigns are rolled back one by one: a read of several can then mix two forks. */
  readonly rollingBack: boolean;
  /** All campaigns that settlement has stopped: none of their events is known to be final. */
  readonly stopped: readonly StoppedCampaign[];
}

/** A campaign that settlement has stopped, as a read reports it. */
export interface StoppedCampaign {
  readonly campaignId: string;
  readonly since: Date;
  readonly reason: string;
}

/** One consistent view of the ledger. */
export interface Snapshot {
  readonly sql: Sql;
  readonly head: ReadHead;
  /** True if it is as of a requested block, which can be far below the newest rows. */
  readonly past: boolean;
}

/** Settlement has not processed its first block yet, so there is nothing to read. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError';

  constructor(message = 'Settlement has not processed its first block yet.') {
    super(message);
  }
}

/** Timeout of a statement of a request; it then fails with SQLSTATE 57014. */
const STATEMENT_TIMEOUT_MS = 5_000;

/** Milliseconds that a process may leave a transaction alone: a paused one would keep its locks for ever. */
const IDLE_TRANSACTION_MS = 30_000;

/**
 * Settings of the connections that serve requests: timeouts, and a cost that makes the
 * planner use indexes, which it often does not with the default for spinning disks. A statement is planned
 * once, for any parameters: otherwise each connection plans it for its first five executions, which takes
 * a large statement longer than to run.
 */
export const readSettings = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS,
  random_page_cost: '1.1',
  plan_cache_mode: 'force_generic_plan',
} as const;

/**
 * Runs all reads of a request in one read-only transaction, so that none of them sees half a batch,
 * and as of the settled block, or of one below it.
 * @param at a block at or below the settled one, to read as of.
 * @throws {NotSettledError} if there is no settled block yet, or it is below `at`.
 */
export async function readLedger<T>(
  pool: Pool,
  read: (snapshot: Snapshot) => Promise<T>,
  at?: SettledBlock,
): Promise<T> {
  const result = await readConsistently(pool, async (sql) => {
    return { value: await read(await snapshotIn(sql, at)) };
  });
  return result.value;
}

/**
 * A snapshot of the ledger as of the settled block within the caller's transaction, for a write that
 * depends on it.
 * @param at a block at or below the settled one, to read as of.
 * @throws {NotSettledError} if there is no settled block yet, or it is below `at`.
 */
export async function snapshotIn(sql: Sql, at?: SettledBlock): Promise<Snapshot> {
  const [row] = await sql<(StoredRow & StoppedRow)[]>`
    select ${headColumns(sql)}, ${stoppedCampaigns(sql)} as stopped from ledger.head`;
  const heads = row && headsRow.decode(row);
  if (heads === undefined || heads.settled === null) {
    throw new NotSettledError();
  }
  const stopped = stoppedOf(row?.stopped ?? null);
  if (at !== undefined && at.number > heads.settled.number) {
    throw new NotSettledError(`Block ${at.number} is no longer settled: try again.`);
  }
  const head = readHead(heads, at ?? heads.settled, stopped);
  if (at !== undefined && isMixed(head, at.number)) {
    throw new NotSettledError('The chain is replacing blocks just now: try again.');
  }
  return { sql, head, past: at !== undefined };
}

/** True if the ledger at a block can mix two forks now, so that no root and no past block can be served. */
export function isMixed(head: ReadHead, blockNumber: number): boolean {
  return head.rollingBack && blockNumber > (head.finalizedNumber ?? -1);
}

/** All stopped campaigns as one JSON value, `null` if there are none: one probe of a partial index. */
export function stoppedCampaigns(sql: Sql) {
  return sql`(
    select json_agg(json_build_object(
      'campaignId', campaign_id::text, 'since', stopped_at, 'reason', stopped_reason
    ) order by campaign_id) from ledger.cursor where stopped_at is not null
  )`;
}

/** A row with the column of `stoppedCampaigns`. */
export interface StoppedRow {
  readonly stopped:
    | readonly {
        readonly campaignId: string;
        readonly since: string;
        readonly reason: string | null;
      }[]
    | null;
}

/** Decodes the column of `stoppedCampaigns`. */
export function stoppedOf(stopped: StoppedRow['stopped']): readonly StoppedCampaign[] {
  return (stopped ?? []).map(({ campaignId, since, reason }) => ({
    campaignId,
    since: new Date(since),
    reason: reason ?? '',
  }));
}

/** Runs reads in one read-only transaction, even if no block is settled yet. */
export async function readConsistently<T>(
  pool: Pool,
  read: (sql: Sql) => Promise<{ value: T }>,
  timeoutMs = STATEMENT_TIMEOUT_MS,
): Promise<{ value: T }> {
  return await pool.begin('isolation level repeatable read read only', async (sql) => {
    // Sent together with the first read, because the pool can be another than that of the API. The planner
    // chooses here whether a plan is for any parameters: the reads of several statements include those of
    // all levels of an account, or all sales of a merchant.
    const [, result] = await Promise.all([
      sql`
        select set_config('statement_timeout', ${String(timeoutMs)}, true),
          set_config('random_page_cost', ${readSettings.random_page_cost}, true),
          set_config('plan_cache_mode', 'auto', true)`,
      read(sql),
    ]);
    return result;
  });
}

/** Ids of the campaigns that a response is about; `undefined` if it can be any. */
export type Covered = string | readonly string[] | undefined;

/** The stopped campaigns among those that a response is about. */
export function stoppedIn(head: ReadHead, covered: Covered): readonly StoppedCampaign[] {
  if (covered === undefined || head.stopped.length === 0) return head.stopped;
  const ids = new Set(typeof covered === 'string' ? [covered] : covered);
  return head.stopped.filter(({ campaignId }) => ids.has(campaignId));
}

/**
 * How final an event of a block is (docs/how-it-works/settlement.md). Events of a stopped campaign are never final: they
 * can be of blocks that the chain has replaced.
 */
export function finalityOf(head: ReadHead, blockNumber: number, covered: Covered): Finality {
  if (stoppedIn(head, covered).length > 0) return 'pending';
  if (head.finalizedNumber !== null && blockNumber <= head.finalizedNumber) return 'finalized';
  // A reorg can remove a safe block, but never a final one.
  if (head.rollingBack || head.safeNumber === null) return 'pending';
  return blockNumber <= head.safeNumber ? 'safe' : 'pending';
}

/** The head of a read as of a block, from the recorded heads. */
export function readHead(
  heads: Heads,
  settled: SettledBlock,
  stopped: readonly StoppedCampaign[],
): ReadHead {
  const { finalizedReplaced, rollingBack } = heads;
  return {
    ...settled,
    safeNumber: finalizedReplaced ? null : heads.safeNumber,
    finalizedNumber: finalizedReplaced ? null : heads.finalizedNumber,
    rollingBack,
    stopped,
  };
}
