import type { Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type HeadRow, type Heads, headsOf, type SettledBlock } from '../heads.ts';

/** The settled block that a read is as of, and what tells how final an event is. */
export interface ReadHead {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds: the clock of states and holds. */
  readonly timestamp: number;
  readonly safeNumber: number | null;
  /** Highest final block; `null` also while the chain does not have the recorded one any more. */
  readonly finalizedNumber: number | null;
  /** True while campaigns are rolled back one by one: several of them may mix two forks. */
  readonly rollingBack: boolean;
  /** All campaigns that settlement has stopped: nothing is known to be final of them. */
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
  /** Whether it is as of a block that was named, from which the newest rows may be far away. */
  readonly past: boolean;
}

/** Settlement has not come to its first block yet, so there is nothing to read. */
export class NotSettledError extends Error {
  override readonly name = 'NotSettledError';

  constructor(message = 'Settlement has not come to its first block yet.') {
    super(message);
  }
}

/** What a read of a request may take; then it is given up (SQLSTATE 57014). */
const STATEMENT_TIMEOUT_MS = 5_000;

/**
 * Of the connections that requests are answered by: what one statement may take, and that the ledger
 * is read by its indexes, which the default of random_page_cost, made for spinning disks, would often
 * pass over.
 */
export const readSettings = {
  statement_timeout: STATEMENT_TIMEOUT_MS,
  random_page_cost: '1.1',
} as const;

export type Finality = 'pending' | 'safe' | 'finalized';

/**
 * Runs all reads of a request in one read-only transaction, so that none of them sees half a batch,
 * and as of the settled block (design §5, Finality), or of one below it.
 * @param at a block at or below the settled one, to read as of.
 * @throws {NotSettledError} where there is no settled block yet, or it has fallen below `at`.
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
 * The ledger as of the settled block within a transaction of the caller's, for a write that depends
 * on what is there.
 * @param at a block at or below the settled one, to read as of.
 * @throws {NotSettledError} where there is no settled block yet, or it has fallen below `at`.
 */
export async function snapshotIn(sql: Sql, at?: SettledBlock): Promise<Snapshot> {
  const [row] = await sql<(HeadRow & StoppedRow)[]>`
    select head.*, ${stoppedCampaigns(sql)} as stopped from ledger.head`;
  const heads = row && headsOf(row);
  if (heads === undefined || heads.settled === null) {
    throw new NotSettledError();
  }
  const stopped = stoppedOf(row?.stopped ?? null);
  if (at !== undefined && at.number > heads.settled.number) {
    throw new NotSettledError(`Block ${at.number} is not settled any more: try again.`);
  }
  const head = readHead(heads, at ?? heads.settled, stopped);
  if (at !== undefined && isMixed(head, at.number)) {
    throw new NotSettledError('The chain is replacing blocks just now: try again.');
  }
  return { sql, head, past: at !== undefined };
}

/** Whether the ledger at a block may be of two forks at this moment: no root or past block is answered. */
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

/** What `stoppedCampaigns` selects. */
export interface StoppedRow {
  readonly stopped:
    | readonly {
        readonly campaignId: string;
        readonly since: string;
        readonly reason: string | null;
      }[]
    | null;
}

export function stoppedOf(stopped: StoppedRow['stopped']): readonly StoppedCampaign[] {
  return (stopped ?? []).map(({ campaignId, since, reason }) => ({
    campaignId,
    since: new Date(since),
    reason: reason ?? '',
  }));
}

/** The transaction alone, for what must answer before anything is settled. */
export async function readConsistently<T>(
  pool: Pool,
  read: (sql: Sql) => Promise<{ value: T }>,
  timeoutMs = STATEMENT_TIMEOUT_MS,
): Promise<{ value: T }> {
  return await pool.begin('isolation level repeatable read read only', async (sql) => {
    // Sent together with the first read: the pool may be another than that of the API.
    const [, answer] = await Promise.all([
      sql`
        select set_config('statement_timeout', ${String(timeoutMs)}, true),
          set_config('random_page_cost', ${readSettings.random_page_cost}, true)`,
      read(sql),
    ]);
    return answer;
  });
}

/**
 * Has the rest of the transaction's statements planned for their very parameters. For reads whose cost
 * hangs on how much an account or a merchant has: the one plan for all expects the little that most
 * have, and reads everything of the others (docs/performance.md, «Reads»).
 */
export function planEach(sql: Sql) {
  // Sent now, and not when it is awaited: what it is awaited together with must come after it.
  return sql`select set_config('plan_cache_mode', 'force_custom_plan', true)`.execute();
}

/** Campaigns that an answer is about; `undefined`: any campaign may be in it. */
export type Covered = string | readonly string[] | undefined;

/** The stopped campaigns that an answer may hold. */
export function stoppedIn(head: ReadHead, covered: Covered): readonly StoppedCampaign[] {
  if (covered === undefined || head.stopped.length === 0) return head.stopped;
  const ids = new Set(typeof covered === 'string' ? [covered] : covered);
  return head.stopped.filter(({ campaignId }) => ids.has(campaignId));
}

/**
 * How final an event of a block is (docs/settlement.md, "The settled block"). What a stopped campaign
 * holds is never final: it may be of blocks that the chain has replaced.
 */
export function finalityOf(head: ReadHead, blockNumber: number, covered: Covered): Finality {
  if (stoppedIn(head, covered).length > 0) return 'pending';
  if (head.finalizedNumber !== null && blockNumber <= head.finalizedNumber) return 'finalized';
  // A reorg may have taken a safe block, and never a final one.
  if (head.rollingBack || head.safeNumber === null) return 'pending';
  return blockNumber <= head.safeNumber ? 'safe' : 'pending';
}

/** The head of a read, of the heads that were recorded. */
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
