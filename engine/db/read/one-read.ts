import type { Fragment, Pool, Sql } from '../connection.ts';
import { settledBlock } from '../heads.ts';
import { flag, integer, type JsonKind, nullable, rowCodec, type StoredRow } from '../row.ts';
import { compose, composeOnce, type NamedFragments, type NamedValues, named } from '../sql.ts';
import {
  NotSettledError,
  type ReadHead,
  readConsistently,
  type Snapshot,
  type StoppedRow,
  stoppedCampaigns,
  stoppedOf,
} from './snapshot.ts';

/** The block that a statement is as of: values, or columns of the statement itself. */
export interface AsOf {
  readonly number: number | Fragment;
  /** Unix seconds. */
  readonly timestamp: number | Fragment;
}

/** A read in one statement: its `select`, and what its rows mean. */
export interface OneRead<Row, T, K extends string = never> {
  readonly select: (sql: Sql, at: AsOf, values: NamedFragments<K>) => Fragment;
  /**
   * Values that `select` receives. If they are set, `select` must depend on nothing else, because its statement
   * is composed once.
   */
  readonly values?: NamedValues<K>;
  /** True if one plan for any parameters would read too much (`readSettings`). */
  readonly isPlannedEach?: boolean;
  readonly answer: (rows: readonly Row[], head: ReadHead) => T;
}

/** A value, and the block that it is as of. */
export interface Found<T> {
  readonly head: ReadHead;
  readonly value: T;
}

/** The head of a read, as the statement of `readOne` selects it. */
const headRow = rowCodec({
  ...settledBlock.fields,
  safeNumber: nullable(integer),
  finalizedNumber: nullable(integer),
  rollingBack: flag,
});

type SettledRow = StoredRow & StoppedRow & { readonly is_found: boolean | null };

/**
 * Reads as of the settled block in one round trip: the statement selects the block itself. A single statement
 * is consistent without a transaction. Its timeout and kind of plan are settings of the connection
 * (`readSettings`).
 * @throws {NotSettledError} if there is no settled block yet.
 */
export async function readOne<Row extends object, T, K extends string = never>(
  pool: Pool,
  { select, values, answer, isPlannedEach = false }: OneRead<Row, T, K>,
): Promise<Found<T>> {
  const make = (parts: NamedFragments<K>) => asOfSettled(pool, (at) => select(pool, at, parts));
  const statement =
    values === undefined
      ? compose(make({} as NamedFragments<K>))
      : composeOnce(pool, select, make, values);
  const send = async (sql: Sql) => ({ value: await sql.run<(SettledRow & Row)[]>(statement) });
  const { value: rows } = isPlannedEach ? await readConsistently(pool, send) : await send(pool);
  const [first] = rows;
  if (first === undefined) throw new NotSettledError();
  const head = { ...headRow.decode(first), stopped: stoppedOf(first.stopped) };
  return { head, value: answer(first.is_found === null ? [] : rows, head) };
}

/** The select, joined to the one row of the head, so that the rows keep their order. */
function asOfSettled(sql: Sql, select: (at: AsOf) => Fragment) {
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
    left join lateral (select true as is_found, one.* from (${select(at)}) one) found on true`;
}

/** Reads within a transaction, as of the block of its snapshot. */
export async function readIn<Row extends object, T, K extends string = never>(
  { sql, head }: Pick<Snapshot, 'sql' | 'head'>,
  { select, values = {} as NamedValues<K>, answer }: OneRead<Row, T, K>,
): Promise<T> {
  return answer(await sql<Row[]>`${select(sql, head, named(sql, values))}`, head);
}

/**
 * Rows of a select as one JSON value of another select, so that rows that belong together are one statement.
 * @param codec declares the columns; its `decode` reads each row of the list.
 * @param order SQL of the `order by`; the rows are called `each`. Without it they are in any order.
 */
export function jsonRows(
  sql: Sql,
  rows: Fragment,
  codec: { readonly kinds: Readonly<Record<string, JsonKind>> },
  order?: string,
) {
  return sql`(
    select coalesce(
      json_agg(json_build_object(${pairsOf(sql, codec.kinds)})
        ${order === undefined ? sql`` : sql.unsafe(`order by ${order}`)}),
      '[]'
    ) from (${rows}) each
  )`;
}

/** SQL of a column as `json_build_object` takes it. */
const JSON_VALUES: Readonly<Record<JsonKind, (column: string) => string>> = {
  is: (column) => column,
  text: (column) => `${column}::text`,
  hex: (column) => `'0x' || encode(${column}, 'hex')`,
};

/**
 * A row as one JSON value that `listDecoder` reads: a list of its columns, in the order of the declaration. It takes
 * PostgreSQL half as long as the object of `jsonRows`.
 * @param row alias with the columns of the codec.
 */
export function jsonList(
  sql: Sql,
  row: string,
  { kinds }: { readonly kinds: Readonly<Record<string, JsonKind>> },
) {
  const columns = Object.entries(kinds).map(([name, kind]) => JSON_VALUES[kind](`${row}.${name}`));
  return sql.unsafe(`json_build_array(${columns.join(', ')})`);
}

/** The arguments of `json_build_object` for each codec, made once. */
const pairs = new WeakMap<Readonly<Record<string, JsonKind>>, string>();

function pairsOf(sql: Sql, columns: Readonly<Record<string, JsonKind>>): Fragment {
  const known = pairs.get(columns);
  if (known !== undefined) return sql.unsafe(known);
  const made = Object.entries(columns)
    .map(([name, kind]) => `'${name}', ${JSON_VALUES[kind](`each.${name}`)}`)
    .join(', ');
  pairs.set(columns, made);
  return sql.unsafe(made);
}
