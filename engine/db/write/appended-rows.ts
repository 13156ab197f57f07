import type { Fragment, Sql } from '../connection.ts';
import { copyRows } from './copy-rows.ts';
import type { RowsOf } from './rows.ts';
import { insertSql } from './statements.ts';

/** Rows from which on COPY is worth its round trips. */
export const MIN_COPIED = 64;

/** The rows that a batch appends to one table. */
export interface AppendedRows {
  /** `long` if they are copied, `short` if they are sent in a statement together with others. */
  readonly size: 'none' | 'short' | 'long';
  /** The statement that appends short rows. */
  insertSql(sql: Sql, table: string): Fragment;
  /** Copies long rows; no other statement of the transaction may be running. */
  copy(sql: Sql, table: string): Promise<void>;
}

/**
 * The rows that the items of a batch make. Values beyond the first become rows when they are written: all rows of a
 * batch are several times as large as its events.
 */
export function appended<I, V>(items: readonly I[], { codec, values }: RowsOf<I, V>): AppendedRows {
  const all = valuesOf(items, values);
  const first: V[] = [];
  while (first.length < MIN_COPIED) {
    const { done, value } = all.next();
    if (done) break;
    first.push(value);
  }
  const size = first.length === 0 ? 'none' : first.length < MIN_COPIED ? 'short' : 'long';
  return {
    size,
    insertSql: (sql, table) => insertSql(sql, table, first.map(codec.encode)),
    copy: (sql, table) => copyRows(sql, table, codec, chain(first, all)),
  };
}

function* valuesOf<I, V>(items: readonly I[], of: (item: I) => readonly V[]): Generator<V> {
  for (const item of items) yield* of(item);
}

function* chain<V>(first: readonly V[], rest: Iterable<V>): Generator<V> {
  yield* first;
  yield* rest;
}
