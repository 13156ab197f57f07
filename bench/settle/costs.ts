import type { Pool } from '../../engine/db/connection.ts';
import { cpuMsOf } from '../harness/cpu.ts';

/** Resources that PostgreSQL spent on a run. */
export interface ServerCosts {
  /** Milliseconds of processor time of all its processes; `null` without `/proc`. */
  readonly cpuMs: number | null;
  readonly logBytes: number;
}

/** Bytes on disk after a run. */
export interface DiskBytes {
  /** Tables of the ledger, without their indexes. */
  readonly rows: number;
  readonly indexes: number;
  /** The indexer's table of events, with its indexes. */
  readonly facts: number;
}

/** Measures the server from now on; the sessions of `pool`, which only watch, do not count. */
export async function watchServer(pool: Pool): Promise<{ stop(): Promise<ServerCosts> }> {
  const before = await readServer(pool);
  return {
    stop: async () => {
      const after = await readServer(pool);
      const known = before.cpuMs !== null && after.cpuMs !== null;
      return {
        cpuMs: known ? Number(after.cpuMs) - Number(before.cpuMs) : null,
        logBytes: after.logBytes - before.logBytes,
      };
    },
  };
}

/** Totals since the server started. */
async function readServer(pool: Pool): Promise<ServerCosts> {
  const [row] = await pool<{ server: number; watching: number[]; bytes: string }[]>`
    select split_part(pg_read_file('postmaster.pid'), chr(10), 1)::int as server,
      (select array_agg(pid) from pg_stat_activity where application_name = 'bench') as watching,
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint as bytes`;
  if (row === undefined) throw new Error('the server says nothing');
  const all = await cpuMsOf([row.server]);
  const watching = await cpuMsOf(row.watching);
  const cpuMs = all === null || watching === null ? null : all - watching;
  return { cpuMs, logBytes: Number(row.bytes) };
}

/** Reads what the tables of a settled history take. */
export async function diskBytes(pool: Pool): Promise<DiskBytes> {
  const [row] = await pool<Record<keyof DiskBytes, string>[]>`
    select sum(pg_table_size(oid)) filter (where owner = 'ledger') as rows,
      sum(pg_indexes_size(oid)) filter (where owner = 'ledger') as indexes,
      sum(pg_total_relation_size(oid)) filter (where relname = 'chain_event') as facts
    from (
      select oid, relname, relnamespace::regnamespace::text as owner from pg_class
      where relkind = 'r'
    ) tables`;
  return { rows: Number(row?.rows), indexes: Number(row?.indexes), facts: Number(row?.facts) };
}
