import type { Fragment, Sql } from '../connection.ts';
import { hexText } from '../hex.ts';
import { fence } from '../planner.ts';
import { as, integer, nullable, rowCodec, type StoredRow, type View } from '../row.ts';
import { commaSeparated } from '../sql.ts';
import { foldedTables, type LedgerTable } from '../tables/ledger.ts';

/** Maximum of differing rows that are shown for a table; all are counted. */
const MAX_SHOWN = 5;

/** Columns in which rows of the same events may differ. */
const NOT_COMPARED = ['indexed_at', 'calldata_end'];

/** A row by column, every value as text; `null` if there is no row. */
export type RowText = Readonly<Record<string, string | null>>;

const differingRow = rowCodec({
  /** Sequence number of the row's event; `null` for a row of the newest state. */
  seq: nullable(integer),
  stored: nullable(as<RowText>()),
  refolded: nullable(as<RowText>()),
});

/** A row that a replay computed differently. */
export interface DifferingRow extends View<typeof differingRow> {
  readonly table: string;
}

/** The rows of one table that a replay computed differently. */
export interface TableDifference {
  readonly table: string;
  readonly rows: number;
  /** Sequence number of the first event with a differing row; `null` for rows of the newest state. */
  readonly firstSeq: number | null;
  readonly examples: readonly DifferingRow[];
}

/**
 * Copies a campaign's rows after an event into temporary tables, with which a replay is compared before
 * the transaction ends. The cost follows the events after that one, not the size of the ledger: a sale that
 * none of them changed is not copied.
 */
export async function copyRowsAside(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  await Promise.all(
    foldedTables.map(async (table) => {
      const changed = changedSales(sql, campaignId, afterSeq);
      await sql`
        create temporary table ${sql(asideName(table.name))} on commit drop as
        select t.* from ${rowsOf(sql, table, campaignId, afterSeq, changed)}`;
    }),
  );
}

function isOfEvent({ of }: LedgerTable): boolean {
  return of === 'event' || of === 'saleEvent';
}

/**
 * For a `from`: the rows `t` of a campaign in a table that belong to events after `afterSeq`. A table whose
 * rows are found by their sale is read by the keys of these sales, not as a whole.
 * @param changed selects `sale_id` of the sales that those events changed.
 */
function rowsOf(
  sql: Sql,
  table: LedgerTable,
  campaignId: string,
  afterSeq: number,
  changed: Fragment,
): Fragment {
  const later = isOfEvent(table) ? sql`and seq > ${afterSeq}` : sql``;
  const rows = sql`select * from ${sql(`ledger.${table.name}`)} where campaign_id = ${campaignId}`;
  if (afterSeq === 0 || table.of === 'event' || table.of === 'campaign') {
    return sql`(${rows} ${later}) t`;
  }
  return sql`(${changed}) of_sale
    cross join lateral (${rows} and sale_id = of_sale.sale_id ${later} ${fence(sql)}) t`;
}

function changedSales(sql: Sql, campaignId: string, afterSeq: number): Fragment {
  return sql`
    select sale_id from ledger.sale
    where campaign_id = ${campaignId} and changed_seq > ${afterSeq}`;
}

/** Deletes all rows of a campaign except its cursor, whatever state they are in. */
export async function wipeCampaign(sql: Sql, campaignId: string): Promise<void> {
  for (const { name } of foldedTables) {
    await sql`delete from ${sql(`ledger.${name}`)} where campaign_id = ${campaignId}`;
  }
}

/**
 * Restores what the copied rows know of the calldata of sales: the facts that a replay folds may be of an indexer that has
 * loaded them without it. A transaction's hash covers its calldata.
 */
export async function restoreCalldata(sql: Sql, campaignId: string): Promise<void> {
  await sql`
    update ledger.sale t set calldata_end = aside.calldata_end
    from pg_temp.${sql(asideName('sale'))} aside
    where t.campaign_id = ${campaignId} and t.sale_id = aside.sale_id and t.calldata_end is null
      and t.transaction_hash = aside.transaction_hash and aside.calldata_end is not null`;
}

/** Compares a campaign's rows after an event with the copied ones: one statement for each table. */
export async function differingRows(
  sql: Sql,
  campaignId: string,
  afterSeq: number,
): Promise<TableDifference[]> {
  const found = await Promise.all(
    foldedTables.map((table) => differenceOf(sql, table, campaignId, afterSeq)),
  );
  return found.filter((difference) => difference !== undefined);
}

const differenceRow = rowCodec({
  rows: integer,
  firstSeq: nullable(integer),
  example: differingRow.fields,
});

async function differenceOf(
  sql: Sql,
  table: LedgerTable,
  campaignId: string,
  afterSeq: number,
): Promise<TableDifference | undefined> {
  const { name, key } = table;
  // The sales of both: one that was changed before the replay may not be changed after it.
  const changed = sql`
    select sale_id from pg_temp.${sql(asideName('sale'))}
    union ${changedSales(sql, campaignId, afterSeq)}`;
  const seq = isOfEvent(table)
    ? sql`least((stored.row ->> 'seq')::bigint, (refolded.row ->> 'seq')::bigint)`
    : sql`null::bigint`;
  // `indexed_at` says when a row was written, and `calldata_end` depends on how the indexer read it. Values as text: no
  // amount becomes a float.
  const rows = await sql<StoredRow[]>`
    with stored as (
      select *, ${rowJson(sql, table)} as row from pg_temp.${sql(asideName(name))} t
    ),
    refolded as (
      select t.*, ${rowJson(sql, table)} as row
      from ${rowsOf(sql, table, campaignId, afterSeq, changed)}
    ),
    pair as (
      select ${seq} as seq, stored.row as stored, refolded.row as refolded
      from stored full join refolded using (${sql(['campaign_id', ...key])})
      where stored.row is distinct from refolded.row
    )
    select count(*) over () as rows, min(seq) over () as first_seq, seq,
      (select jsonb_object_agg(k, v) from jsonb_each_text(stored) as each (k, v)) as stored,
      (select jsonb_object_agg(k, v) from jsonb_each_text(refolded) as each (k, v)) as refolded
    from pair order by seq nulls last limit ${MAX_SHOWN}`;
  const decoded = rows.map(differenceRow.decode);
  const [first] = decoded;
  if (first === undefined) return undefined;
  return {
    table: name,
    rows: first.rows,
    firstSeq: first.firstSeq,
    examples: decoded.map(({ example }) => ({ table: name, ...example })),
  };
}

/** A row `t` of a table as JSON, without the columns that are not compared. */
function rowJson(sql: Sql, { bytes = [] }: LedgerTable): Fragment {
  const hashes = bytes.map((name) => sql`${name}::text, ${hexText(sql, sql(`t.${name}`))}`);
  const readable =
    hashes.length === 0 ? sql`` : sql`|| jsonb_build_object(${commaSeparated(sql, hashes)})`;
  return sql`((to_jsonb(t) ${readable}) - ${NOT_COMPARED}::text[])`;
}

/** Name of the temporary table with the copied rows of a table of the ledger. */
export function asideName(table: string): string {
  return `aside_${table}`;
}
