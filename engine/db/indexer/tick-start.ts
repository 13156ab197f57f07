import type { Sql } from '../connection.ts';
import { type Heads, headColumns, headsRow } from '../heads.ts';
import { flag, rowCodec } from '../row.ts';
import { type CheckedHead, checkedHead } from './checked.ts';
import { headOf, headQuery, type IndexerHead, type IndexerHeadRow } from './head.ts';

/** Heads and flags that a tick of the feeder begins with, as of one moment. */
export interface TickStart {
  readonly heads: Heads;
  readonly checked: CheckedHead;
  readonly indexer: IndexerHead;
  /** True if `ledger.behind` has every campaign that it should have. */
  readonly isBehindKnown: boolean;
  /** True if the indexer's facts have an index by block (fact-index.ts). */
  readonly hasFactIndex: boolean;
}

const startFlags = rowCodec({
  isBehindKnown: flag.from('behind_known'),
  hasFactIndex: flag.from('has_fact_index'),
});

/**
 * Reads, in one round trip, what a tick begins with.
 * @param schema the indexer's schema, whose tables exist.
 * @returns `undefined` if settlement reads another schema, or nothing of this one was checked yet.
 */
export async function readTickStart(sql: Sql, schema: string): Promise<TickStart | undefined> {
  const [row] = await sql<IndexerHeadRow[]>`
    select ${headColumns(sql)}, ${checkedHead.columns(sql, 'checked')}, checked.behind_known,
      to_regclass(${`"${schema}".tributary_fact_across`}) is not null as has_fact_index, indexer.*
    from ledger.head
    join ledger.checked_head checked using (indexer_schema)
    cross join (${headQuery(sql, schema)}) indexer
    where indexer_schema = ${schema}`;
  if (row === undefined) return undefined;
  return {
    heads: headsRow.decode(row),
    checked: checkedHead.decode(row),
    indexer: headOf(row),
    ...startFlags.decode(row),
  };
}
