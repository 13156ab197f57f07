import type { Hex } from '../../core/events.ts';
import type { Pool, Sql } from '../connection.ts';
import { type Heads, readHeads, type SettledBlock } from '../heads.ts';

/** The settled block that a read is as of, and what tells how final an event is. */
export interface ReadHead {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds: the clock of states and holds. */
  readonly timestamp: number;
  readonly safeNumber: number | null;
  readonly finalizedNumber: number | null;
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
  const heads = await readHeads(sql);
  if (heads === undefined || heads.settled === null) {
    throw new NotSettledError();
  }
  if (at !== undefined && at.number > heads.settled.number) {
    throw new NotSettledError(`Block ${at.number} is not settled any more: try again.`);
  }
  return { sql, head: readHead(heads, at ?? heads.settled), past: at !== undefined };
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

/** How final an event of that block is (design §5, Finality). */
export function finalityOf(head: ReadHead, blockNumber: number): Finality {
  if (head.finalizedNumber !== null && blockNumber <= head.finalizedNumber) return 'finalized';
  return head.safeNumber !== null && blockNumber <= head.safeNumber ? 'safe' : 'pending';
}

function readHead(heads: Heads, settled: SettledBlock): ReadHead {
  return { ...settled, safeNumber: heads.safeNumber, finalizedNumber: heads.finalizedNumber };
}
