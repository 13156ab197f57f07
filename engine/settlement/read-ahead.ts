import type { Keccak256 } from '../core/digest.ts';
import type { Fact } from '../core/events.ts';
import type { FoldState } from '../core/fold/index.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { finalNumber } from '../db/indexer/checked.ts';
import { readCampaignFacts, readFacts } from '../db/indexer/facts.ts';
import { planByIndex } from '../db/planner.ts';
import type { FoldedPart } from '../db/write/commit.ts';
import type { Cursor } from '../db/write/cursor.ts';
import { loadStates } from '../db/write/load.ts';
import { foldPart } from './fold-batch.ts';

/** Nodes, accounts and credits of earlier batches that a state may hold: above it, the database is read again. */
const MAX_CARRIED = 20_000;

/** A batch that was read and folded before its transaction. */
export interface PreparedBatch {
  readonly indexerSchema: string;
  /** The cursor that it was folded from. */
  readonly from: Cursor;
  readonly facts: readonly Fact[];
  readonly part: FoldedPart;
}

/** Options of preparing the next batch. */
export interface ReadAheadOptions {
  readonly pool: Pool;
  readonly keccak256: Keccak256;
}

/** A batch of one campaign that was folded and is about to be written. */
export interface BatchUnderWay {
  readonly indexerSchema: string;
  /** The locked cursor before the batch. */
  readonly cursor: Cursor;
  readonly part: FoldedPart;
  /** Maximum of facts of the next batch. */
  readonly room: number;
}

/**
 * Reads and folds the next batch of one campaign while the current one is written, which another connection
 * of the server and this thread can do concurrently. At most one batch is held.
 *
 * The next state is what the database has, overlaid with the state after the current batch. It is correct
 * because of three rules:
 *
 * - Rows of a campaign change only in a transaction that locks its cursor and writes the cursor's row. The
 *   next batch is used only if that row was last written by the transaction of the current batch
 *   (`Cursor.version`). So nothing else changed the campaign in between: no other worker, no rollback after a
 *   reorg, no replay; and the current batch was committed.
 * - The current batch changed only nodes, sales, accounts and credits that its own state holds. They win over
 *   what the database has, so it does not matter whether it was read before or after the commit. The clock moves
 *   balances of other accounts too: if it has moved, the batch is not used.
 * - Only full batches of final facts are prepared, which no reorg replaces. Their first and last fact are looked up
 *   again under the lock.
 *
 * If anything is not as expected, or preparing fails, the batch is read and folded again under the lock, as
 * without this class.
 */
export class ReadAhead {
  #next: Promise<PreparedBatch | undefined> | undefined;

  /** Starts to prepare the batch after one that is about to be written. */
  start(options: ReadAheadOptions, current: BatchUnderWay): void {
    // An error shows again under the lock, if it lasts.
    this.#next = prepare(options, current).catch(() => undefined);
  }

  /** Takes the prepared batch, if there is one: it is used once or never. */
  async take(): Promise<PreparedBatch | undefined> {
    const next = this.#next;
    this.#next = undefined;
    return await next;
  }
}

/** True if a prepared batch is the next one of a campaign whose cursor is locked. */
export async function isNextBatch(
  sql: Sql,
  { indexerSchema, from, facts, part }: PreparedBatch,
  indexerSchemaNow: string,
  cursor: Cursor,
): Promise<boolean> {
  const expected =
    indexerSchema === indexerSchemaNow &&
    cursor.campaignId === from.campaignId &&
    cursor.version === from.version &&
    cursor.seq === from.seq &&
    cursor.digest === from.digest &&
    cursor.clock === from.clock;
  if (!expected) return false;
  const [next, last] = await readFacts(sql, indexerSchema, [cursor, part.to], 1);
  const [first] = next?.facts ?? [];
  return (
    next?.cursorPresent === true &&
    last?.cursorPresent === true &&
    first?.id === facts[0]?.id &&
    first?.blockHash === facts[0]?.blockHash
  );
}

async function prepare(
  { pool, keccak256 }: ReadAheadOptions,
  { indexerSchema, cursor, part, room }: BatchUnderWay,
): Promise<PreparedBatch | undefined> {
  // The transaction under way writes the cursor's row: that is the version to expect.
  const from: Cursor = { ...cursor, ...part.to, version: cursor.lockedBy };
  const found = await pool.begin('read only', async (sql) => {
    await sql`select ${planByIndex(sql)}`;
    const [batch, final] = await Promise.all([
      readCampaignFacts(sql, indexerSchema, from, room),
      finalNumber(sql, indexerSchema),
    ]);
    const last = batch.facts.at(-1);
    const full = batch.cursorPresent && !batch.blocked && batch.facts.length >= room;
    if (!full || last === undefined || final === null || last.blockNumber > final) return undefined;
    const [loaded] = await loadStates(sql, [{ cursor: from, facts: batch.facts }]);
    return loaded && { facts: batch.facts, loaded };
  });
  if (found === undefined) return undefined;
  const { facts } = found;
  const state = overlaid(found.loaded, part.state, facts);
  const carried = state.nodes.size + state.accounts.size + state.credits.size;
  if (carried > MAX_CARRIED) return undefined;
  return {
    indexerSchema,
    from,
    facts,
    part: await foldPart(keccak256, { cursor: from, facts }, state),
  };
}

/** The state before the next batch: what was loaded for its facts, and over it the state after the current batch. */
function overlaid(loaded: FoldState, current: FoldState, facts: readonly Fact[]): FoldState {
  const named = new Set(facts.flatMap(({ args }) => ('saleId' in args ? [args.saleId] : [])));
  const sales = [...current.sales].filter(([saleId]) => named.has(saleId));
  return {
    ...current,
    nodes: new Map([...loaded.nodes, ...current.nodes]),
    sales: new Map([...loaded.sales, ...sales]),
    accounts: new Map([...loaded.accounts, ...current.accounts]),
    credits: new Map([...loaded.credits, ...current.credits]),
  };
}
