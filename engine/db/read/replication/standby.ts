import type { Pool } from '../../connection.ts';
import { flag, integer, nullable, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { headVersion } from './head-version.ts';

const standbyRow = rowCodec({
  isStandby: flag,
  /** Bytes of write-ahead log that were replayed, decimal digits. */
  replayed: nullable(text),
  /** Version of the settled head, as on the primary. */
  version: nullable(text),
  settledNumber: nullable(integer),
});

/** State of a standby. What it has replayed is seen by every statement that begins later. */
export type StandbyState = Omit<View<typeof standbyRow>, 'replayed'> & {
  readonly replayed: bigint;
};

/** Reads the state of a standby. @returns `undefined` if the server is none, for example because it was promoted. */
export async function readStandbyState(pool: Pool): Promise<StandbyState | undefined> {
  const [row] = await pool<StoredRow[]>`
    select pg_is_in_recovery() as is_standby, pg_last_wal_replay_lsn() - '0/0'::pg_lsn as replayed,
      ${headVersion(pool)}, head.settled_number
    from (select 1) server left join ledger.head on true`;
  if (row === undefined) throw new Error('PostgreSQL returned no state');
  const { replayed, ...state } = standbyRow.decode(row);
  if (!state.isStandby || replayed === null) return undefined;
  return { ...state, replayed: BigInt(replayed) };
}

/**
 * Identity of a database that its physical copies share: that of the server's files, and the database's number in
 * it. Positions in the write-ahead log can be compared between servers of equal identity alone.
 */
export async function databaseIdentity(pool: Pool): Promise<string> {
  const [row] = await pool<{ identity: string }[]>`
    select system_identifier || ' ' || oid as identity
    from pg_control_system(), pg_database where datname = current_database()`;
  if (row === undefined) throw new Error('PostgreSQL returned no identity');
  return row.identity;
}
