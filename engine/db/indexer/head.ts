import { parseEventId } from '../../core/event-id.ts';
import type { Sql } from '../connection.ts';
import type { StoredRow } from '../row.ts';

/** State of the indexer. */
export interface IndexerHead {
  /** Its first backfill is done, and it is not recovering from a crash. */
  readonly ready: boolean;
  /** Highest block whose events are all in the table; `null` before the first. */
  readonly blockNumber: number | null;
  /** Unix seconds of that block. */
  readonly timestamp: number | null;
  /** Its own finalized block, below which it cannot take rows back. */
  readonly finalizedNumber: number | null;
}

/** A row of `headQuery`, with the columns that a statement joins to it. */
export type IndexerHeadRow = StoredRow & {
  readonly ready: boolean;
  readonly latest: string | null;
  readonly finalized: string | null;
};

/**
 * Chain id of the indexer, decimal digits.
 * @throws {Error} before its first block, when it has no fact.
 */
export function chainIdOf({ latest }: IndexerHeadRow): string {
  if (latest === null) throw new Error('an indexer without a checkpoint has a fact');
  return parseEventId(latest).chainId;
}

/** A checkpoint ends in nines if it covers a whole block. */
const WHOLE_BLOCK = /9{16}[0-9]9{16}$/;

export function headOf(row: IndexerHeadRow): IndexerHead {
  if (row.latest === null) {
    return { ready: row.ready, blockNumber: null, timestamp: null, finalizedNumber: null };
  }
  const latest = parseEventId(row.latest);
  const whole = WHOLE_BLOCK.test(row.latest);
  return {
    ready: row.ready,
    blockNumber: whole ? latest.blockNumber : Math.max(0, latest.blockNumber - 1),
    timestamp: whole ? latest.timestamp : null,
    finalizedNumber: row.finalized === null ? null : parseEventId(row.finalized).blockNumber,
  };
}

/** The tables are the indexer's, in a schema named after its build and chain. */
export function headQuery(sql: Sql, schema: string) {
  return sql`
    select
      coalesce((
        select (value ->> 'is_ready')::int = 1 from ${sql(schema)}._ponder_meta where key = 'app'
      ), false) as ready,
      (select latest_checkpoint from ${sql(schema)}._ponder_checkpoint limit 1) as latest,
      (select finalized_checkpoint from ${sql(schema)}._ponder_checkpoint limit 1) as finalized`;
}

/** Where the indexer is now. */
export async function readIndexerHead(sql: Sql, schema: string): Promise<IndexerHead> {
  const [row] = await sql<IndexerHeadRow[]>`${headQuery(sql, schema)}`;
  if (row === undefined) throw new Error('the indexer head query answered no row');
  return headOf(row);
}

/** Whether the indexer has made its tables yet. */
export async function indexerTablesExist(sql: Sql, schema: string): Promise<boolean> {
  const [row] = await sql<{ exists: boolean }[]>`
    select to_regclass(${`"${schema}".chain_event`}) is not null
      and to_regclass(${`"${schema}"._ponder_checkpoint`}) is not null
      and to_regclass(${`"${schema}"._ponder_meta`}) is not null as exists`;
  return row?.exists === true;
}
