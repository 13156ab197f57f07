import type { Fragment, Pool, Sql } from '../../connection.ts';
import { flag, integer, nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { headVersion } from './head-version.ts';

const primaryRow = rowCodec({
  /** Name of the snapshot, as `currentSnapshot` returns it. */
  snapshot: text,
  /**
   * True if no transaction that writes was under way in that snapshot, so that every commit in the write-ahead log is
   * in it. With synchronous replication, a standby shows a commit before the primary does.
   */
  isQuiet: flag,
  /** Bytes of write-ahead log so far, decimal digits: every commit that the snapshot sees is in them. */
  position: nullable(text),
  /** Version of the settled head; `null` before the first start. */
  version: nullable(text),
  settledNumber: nullable(integer),
  /** True while the ledger may mix two forks: a reorg is rolled back, or a final block was replaced. */
  isUnsettled: nullable(flag),
});

/** State of a primary: what a replica must have reached to answer in its place. */
export type PrimaryState = Omit<View<typeof primaryRow>, 'position'> & {
  readonly position: bigint;
};

/** Reads the state of the primary. @returns `undefined` if the server is a standby. */
export async function readPrimaryState(pool: Pool): Promise<PrimaryState | undefined> {
  const [row] = await pool<StoredRow[]>`
    select pg_current_snapshot() || ' ' || extract(epoch from pg_postmaster_start_time()) as snapshot,
      ${isQuiet(pool)} as is_quiet,
      case when not pg_is_in_recovery() then pg_current_wal_insert_lsn() - '0/0'::pg_lsn end as position,
      ${headVersion(pool)}, head.settled_number,
      head.rolling_back_since is not null or head.finalized_replaced as is_unsettled
    from (select 1) server left join ledger.head on true`;
  if (row === undefined) throw new Error('PostgreSQL returned no state');
  const { position, ...state } = primaryRow.decode(row);
  return position === null ? undefined : { ...state, position: BigInt(position) };
}

/**
 * A snapshot lists only transactions older than the newest one that has ended. The age of that limit is the
 * number of transactions that have begun to write after it.
 */
function isQuiet(sql: Sql): Fragment {
  return sql`(pg_snapshot_xmin(pg_current_snapshot()) = pg_snapshot_xmax(pg_current_snapshot())
    and age(pg_snapshot_xmax(pg_current_snapshot())::xid) = 0)`;
}

/** Bytes of write-ahead log so far: every commit that was answered is in them. The server must be a primary. */
export async function writtenPosition(pool: Pool): Promise<bigint> {
  const [row] = await pool<{ position: string }[]>`
    select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as position`;
  if (row === undefined) throw new Error('PostgreSQL returned no position');
  return BigInt(row.position);
}
