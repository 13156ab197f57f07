import type { Sql } from '../connection.ts';

/** A table of a campaign's rows: its key, and what its rows are of. */
interface Table {
  readonly name: string;
  /** Beside `campaign_id`. */
  readonly key: readonly string[];
  /**
   * `event` of one event, which has a `seq`; `sale` the newest standing of a sale, which no other
   * sale's events change; `campaign` the newest standing of all.
   */
  readonly of: 'event' | 'sale' | 'campaign';
}

const TABLES: readonly Table[] = [
  { name: 'journal', key: ['seq'], of: 'event' },
  { name: 'entry', key: ['seq', 'ordinal'], of: 'event' },
  { name: 'discrepancy', key: ['seq', 'ordinal'], of: 'event' },
  { name: 'missed_reward', key: ['sale_id', 'level', 'reason'], of: 'event' },
  { name: 'sale_version', key: ['sale_id', 'seq'], of: 'event' },
  { name: 'node', key: ['node_id'], of: 'event' },
  { name: 'policy', key: ['version'], of: 'event' },
  { name: 'price', key: ['sku_hash', 'seq'], of: 'event' },
  { name: 'permission', key: ['role', 'account', 'seq'], of: 'event' },
  { name: 'credit', key: ['account', 'seq'], of: 'event' },
  { name: 'attestation', key: ['sale_id'], of: 'event' },
  { name: 'sale', key: ['sale_id'], of: 'sale' },
  { name: 'sale_level', key: ['sale_id', 'level'], of: 'sale' },
  { name: 'bucket', key: ['account'], of: 'campaign' },
  { name: 'sale_day', key: ['day', 'linked'], of: 'campaign' },
  { name: 'node_day', key: ['day'], of: 'campaign' },
  { name: 'depth_day', key: ['day', 'depth'], of: 'campaign' },
  { name: 'cohort_week', key: ['join_day', 'week'], of: 'campaign' },
  { name: 'account_sum', key: ['account'], of: 'campaign' },
  { name: 'campaign', key: [], of: 'campaign' },
];

/** Differing rows that are shown of a table; all are counted. */
const SHOWN_MOST = 5;

/** A row by column, all as text; `null` where there is none. */
export type RowText = Readonly<Record<string, string | null>>;

/** A row that a replay found otherwise. */
export interface DifferingRow {
  readonly table: string;
  /** Of the event that it is of; `null` for a row of the newest standing. */
  readonly seq: number | null;
  readonly stored: RowText | null;
  readonly refolded: RowText | null;
}

/** What differs in one table. */
export interface TableDifference {
  readonly table: string;
  readonly rows: number;
  /** Seq of the first event with a differing row; `null` for rows of the newest standing. */
  readonly firstSeq: number | null;
  readonly examples: readonly DifferingRow[];
}

/**
 * Copies a campaign's rows after an event aside, for the time of the transaction, so that what a
 * replay makes can be held against them. Its cost follows what came after the event, not the ledger:
 * a sale that nothing touched since is left where it is.
 */
export async function setAside(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  await Promise.all(
    TABLES.map(async (table) => {
      const touched =
        table.of === 'sale' && afterSeq > 0
          ? sql`and sale_id in (${touchedSales(sql, campaignId, afterSeq)})`
          : sql``;
      await sql`
        create temporary table ${sql(asideName(table.name))} on commit drop as
        select * from ${sql(`ledger.${table.name}`)}
        where campaign_id = ${campaignId} ${ofEventsAfter(sql, table, afterSeq)} ${touched}`;
    }),
  );
}

function ofEventsAfter(sql: Sql, table: Table, afterSeq: number) {
  return table.of === 'event' ? sql`and seq > ${afterSeq}` : sql``;
}

function touchedSales(sql: Sql, campaignId: string, afterSeq: number) {
  return sql`
    select sale_id from ledger.sale
    where campaign_id = ${campaignId} and changed_seq > ${afterSeq}`;
}

/** Deletes all rows of a campaign but its cursor, whatever state they are in. */
export async function wipeCampaign(sql: Sql, campaignId: string): Promise<void> {
  for (const { name } of TABLES) {
    await sql`delete from ${sql(`ledger.${name}`)} where campaign_id = ${campaignId}`;
  }
}

/** Holds a campaign's rows after an event against those set aside: a statement for each table. */
export async function differingRows(
  sql: Sql,
  campaignId: string,
  afterSeq: number,
): Promise<TableDifference[]> {
  const found = await Promise.all(
    TABLES.map((table) => differenceOf(sql, table, campaignId, afterSeq)),
  );
  return found.filter((difference) => difference !== undefined);
}

interface PairRow {
  total: string;
  first_seq: string | null;
  seq: string | null;
  stored: RowText | null;
  refolded: RowText | null;
}

async function differenceOf(
  sql: Sql,
  table: Table,
  campaignId: string,
  afterSeq: number,
): Promise<TableDifference | undefined> {
  const { name, key } = table;
  const touched =
    table.of === 'sale' && afterSeq > 0
      ? sql`and sale_id in (
          select sale_id from pg_temp.${sql(asideName('sale'))}
          union ${touchedSales(sql, campaignId, afterSeq)}
        )`
      : sql``;
  const seq =
    table.of === 'event'
      ? sql`least((stored.row ->> 'seq')::bigint, (refolded.row ->> 'seq')::bigint)`
      : sql`null::bigint`;
  // When a row was written is not what it says. Values as text: no amount becomes a float.
  const rows = await sql<PairRow[]>`
    with stored as (
      select *, to_jsonb(t) - 'indexed_at' as row from pg_temp.${sql(asideName(name))} t
    ),
    refolded as (
      select *, to_jsonb(t) - 'indexed_at' as row from ${sql(`ledger.${name}`)} t
      where campaign_id = ${campaignId} ${ofEventsAfter(sql, table, afterSeq)} ${touched}
    ),
    pair as (
      select ${seq} as seq, stored.row as stored, refolded.row as refolded
      from stored full join refolded using (${sql(['campaign_id', ...key])})
      where stored.row is distinct from refolded.row
    )
    select count(*) over () as total, min(seq) over () as first_seq, seq,
      (select jsonb_object_agg(k, v) from jsonb_each_text(stored) as each (k, v)) as stored,
      (select jsonb_object_agg(k, v) from jsonb_each_text(refolded) as each (k, v)) as refolded
    from pair order by seq nulls last limit ${SHOWN_MOST}`;
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    table: name,
    rows: Number(first.total),
    firstSeq: numberOrNull(first.first_seq),
    examples: rows.map((row) => ({
      table: name,
      seq: numberOrNull(row.seq),
      stored: row.stored,
      refolded: row.refolded,
    })),
  };
}

function asideName(table: string): string {
  return `aside_${table}`;
}

function numberOrNull(value: string | null): number | null {
  return value === null ? null : Number(value);
}
