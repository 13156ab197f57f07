import type { Row } from 'postgres';
import type { Fragment, Pool, Sql } from '../connection.ts';
import type { SettledBlock } from '../heads.ts';
import { compose, templateOf } from './compose.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import {
  NotSettledError,
  type ReadHead,
  type Snapshot,
  type StoppedRow,
  stoppedCampaigns,
  stoppedOf,
} from './snapshot.ts';

/** The block that a statement is as of: as values, or as columns that the statement itself has. */
export interface AsOf {
  readonly number: number | Fragment;
  /** Unix seconds. */
  readonly timestamp: number | Fragment;
}

/** A read that is one `select`, and what its rows tell. */
export interface OneRead<Row, T> {
  readonly select: (sql: Sql, at: AsOf) => Fragment;
  readonly answer: (rows: readonly Row[], head: ReadHead) => T;
}

/** What was read, and as of which block. */
export interface Found<T> {
  readonly head: ReadHead;
  readonly value: T;
}

interface SettledRow {
  is_found: boolean | null;
  settled_number: string;
  settled_hash: SettledBlock['hash'];
  settled_timestamp: string;
  safe_number: string | null;
  finalized_number: string | null;
  rolling_back: boolean;
  stopped: StoppedRow['stopped'];
}

/**
 * Reads as of the settled block in one round trip: the statement looks the block up itself, and is a
 * snapshot by itself, so that it needs no transaction around it. How long it may take is the
 * connection's to say (`readSettings`).
 * @throws {NotSettledError} where there is no settled block yet.
 */
export async function readOne<Row extends object, T>(
  pool: Pool,
  { select, answer }: OneRead<Row, T>,
): Promise<Found<T>> {
  const { texts, parameters } = compose(pool, (sql) => asOfSettled(sql, select));
  const rows = await pool<(SettledRow & Row)[]>(texts, ...parameters);
  const [first] = rows;
  if (first === undefined) throw new NotSettledError();
  const head = headOf(first);
  return { head, value: answer(first.is_found === null ? [] : rows, head) };
}

/** One row on the outer side of the join: the rows stay in the order of the select. */
function asOfSettled(sql: Sql, select: OneRead<never, unknown>['select']) {
  const at = { number: sql`settled.settled_number`, timestamp: sql`settled.settled_timestamp` };
  return sql`
    with settled as materialized (
      select settled_number, settled_hash, settled_timestamp,
        case when not finalized_replaced then safe_number end as safe_number,
        case when not finalized_replaced then finalized_number end as finalized_number,
        rolling_back_since is not null as rolling_back, ${stoppedCampaigns(sql)} as stopped
      from ledger.head where settled_number is not null
    )
    select settled.*, found.* from settled
    left join lateral (select true as is_found, one.* from (${select(sql, at)}) one) found on true`;
}

/** The same read within a transaction, as of the block of that. */
export async function readIn<Row extends object, T>(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  { select, answer }: OneRead<Row, T>,
): Promise<T> {
  const { texts, parameters } = compose(sql, (parts) => select(parts, head));
  return answer(await sql<Row[]>(texts, ...parameters), head);
}

/**
 * A `limit` as part of the statement: of one that is a parameter the planner expects a tenth of the
 * table, and so plans each statement anew, which takes ten times as long as running it.
 */
export function limitTo(sql: Sql, rows: number) {
  if (!Number.isSafeInteger(rows) || rows < 0) throw new RangeError(`${rows} is no limit`);
  return textOf(sql, `limit ${rows}`);
}

/**
 * Rows of a select as one JSON value of another, so that what belongs together is one statement.
 * @param columns whether each goes as `text`, which every integer beyond 53 bits must, as the driver
 * answers it: JSON would make a floating-point number of it; or as it `is`.
 * @param order SQL of the order by, of `each`.
 */
export function jsonRows<Row extends object>(
  sql: Sql,
  rows: Fragment,
  columns: Readonly<Record<keyof Row & string, 'text' | 'is'>>,
  order: string,
) {
  return sql`(
    select coalesce(
      json_agg(json_build_object(${pairsOf(sql, columns)}) order by ${textOf(sql, order)}),
      '[]'
    ) from (${rows}) each
  )`;
}

/** A text of this code as a part of a statement. */
function textOf(sql: Sql, text: string): Fragment {
  return sql<Row[]>(templateOf(text));
}

/** What each list of columns is as arguments of `json_build_object`, made once. */
const pairs = new WeakMap<Readonly<Record<string, 'text' | 'is'>>, string>();

function pairsOf(sql: Sql, columns: Readonly<Record<string, 'text' | 'is'>>): Fragment {
  const known = pairs.get(columns);
  if (known !== undefined) return textOf(sql, known);
  const made = Object.entries(columns)
    .map(([name, kind]) => `'${name}', each.${name}${kind === 'text' ? '::text' : ''}`)
    .join(', ');
  pairs.set(columns, made);
  return textOf(sql, made);
}

function headOf(row: SettledRow): ReadHead {
  return {
    number: toInteger(row.settled_number),
    hash: row.settled_hash,
    timestamp: toInteger(row.settled_timestamp),
    safeNumber: toIntegerOrNull(row.safe_number),
    finalizedNumber: toIntegerOrNull(row.finalized_number),
    rollingBack: row.rolling_back,
    stopped: stoppedOf(row.stopped),
  };
}
