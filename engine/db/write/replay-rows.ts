import type { Sql } from '../connection.ts';

/** A table of a campaign's rows: its key, and whether its rows are of one event each. */
interface Table {
  readonly name: string;
  /** Beside `campaign_id`. */
  readonly key: readonly string[];
  /** Rows of an event, which has a `seq`; the others are the newest standing. */
  readonly ofEvents: boolean;
}

const TABLES: readonly Table[] = [
  { name: 'journal', key: ['seq'], ofEvents: true },
  { name: 'entry', key: ['seq', 'ordinal'], ofEvents: true },
  { name: 'discrepancy', key: ['seq', 'ordinal'], ofEvents: true },
  { name: 'missed_reward', key: ['sale_id', 'level', 'reason'], ofEvents: true },
  { name: 'sale_version', key: ['sale_id', 'seq'], ofEvents: true },
  { name: 'node', key: ['node_id'], ofEvents: true },
  { name: 'policy', key: ['version'], ofEvents: true },
  { name: 'price', key: ['sku_hash', 'seq'], ofEvents: true },
  { name: 'permission', key: ['role', 'account', 'seq'], ofEvents: true },
  { name: 'attestation', key: ['sale_id'], ofEvents: true },
  { name: 'sale', key: ['sale_id'], ofEvents: false },
  { name: 'sale_level', key: ['sale_id', 'level'], ofEvents: false },
  { name: 'bucket', key: ['account'], ofEvents: false },
  { name: 'campaign', key: [], ofEvents: false },
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
 * replay makes can be held against them.
 */
export async function setAside(sql: Sql, campaignId: string, afterSeq: number): Promise<void> {
  for (const { name, ofEvents } of TABLES) {
    await sql`
      create temporary table ${sql(asideName(name))} on commit drop as
      select * from ${sql(`ledger.${name}`)}
      where campaign_id = ${campaignId} ${ofEvents ? sql`and seq > ${afterSeq}` : sql``}`;
  }
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
  const found: TableDifference[] = [];
  for (const table of TABLES) {
    const difference = await differenceOf(sql, table, campaignId, afterSeq);
    if (difference !== undefined) found.push(difference);
  }
  return found;
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
  { name, key, ofEvents }: Table,
  campaignId: string,
  afterSeq: number,
): Promise<TableDifference | undefined> {
  const seq = ofEvents
    ? sql`least((stored.row ->> 'seq')::bigint, (refolded.row ->> 'seq')::bigint)`
    : sql`null::bigint`;
  // When a row was written is not what it says. Values as text: no amount becomes a float.
  const rows = await sql<PairRow[]>`
    with stored as (
      select *, to_jsonb(t) - 'indexed_at' as row from pg_temp.${sql(asideName(name))} t
    ),
    refolded as (
      select *, to_jsonb(t) - 'indexed_at' as row from ${sql(`ledger.${name}`)} t
      where campaign_id = ${campaignId} ${ofEvents ? sql`and seq > ${afterSeq}` : sql``}
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
