import { setTimeout } from 'node:timers/promises';
import { advisoryLocks } from '../advisory-locks.ts';
import { type SessionSql, type Sql, sqlStateOf } from '../connection.ts';
import { conversionUnderWay } from './conversion.ts';
import { newName } from './ddl.ts';
import type { TableDefinition } from './table.ts';

/** Milliseconds between two tries to begin a batch, while rows are being deleted. */
const DELETION_POLL_MS = 100;

/** Milliseconds between two looks at the transactions of other sessions. */
const SNAPSHOT_POLL_MS = 500;

/**
 * Time of a batch. A writer and a batch may each wait for a row of the other. The batch has to give up: a writer that has
 * waited for 1 s (`deadlock_timeout`) looks for a deadlock, and would be ended by the server.
 */
const BATCH_TIMEOUT = '800ms';

/** SQLSTATE of `query_canceled`, also by `statement_timeout`. */
const QUERY_CANCELED = '57014';

/** Options of `copyRemainingRows`. */
interface CopyOptions {
  /** Rows of a batch at most. */
  readonly batchRows: number;
  /** Stops between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Is called after each batch, with all rows that were copied. */
  readonly onBatch: (copied: number) => void;
}

/**
 * Copies all rows of a table that are not copied yet, in the order of its primary key. Each batch is a transaction, which
 * also records how far it is.
 *
 * Rows that a trigger has written meanwhile are newer, and stay. A row that is deleted while a batch is copied would come
 * back, because the batch still sees it. So a batch holds a lock that each deletion takes as well, in the trigger: it
 * deletes after the batch has committed. A batch never waits for that lock, so that a long replay does not make
 * the deletions of other campaigns wait.
 *
 * A batch that takes too long is tried again with half of its rows. One of a single row holds nothing that a writer waits
 * for, so it gets there in the end.
 */
export async function copyRemainingRows(
  session: SessionSql,
  table: TableDefinition,
  { batchRows, signal, onBatch }: CopyOptions,
): Promise<void> {
  let rows = batchRows;
  for (;;) {
    signal?.throwIfAborted();
    const batch = await tryBatch(session, table, rows);
    if (batch === 'deleting') await setTimeout(DELETION_POLL_MS);
    else if (batch === 'late') rows = Math.ceil(rows / 2);
    else {
      onBatch(batch.copied);
      if (batch.read === 0) return;
      rows = Math.min(batchRows, rows + Math.ceil(rows / 8));
    }
  }
}

/** Copies a batch. @returns `deleting` if rows are being deleted; `late` if it took longer than it may. */
async function tryBatch(
  session: SessionSql,
  table: TableDefinition,
  rows: number,
): Promise<CopiedBatch | 'deleting' | 'late'> {
  try {
    return await session.begin(async (sql) => {
      await sql`select set_config('statement_timeout', ${BATCH_TIMEOUT}, true)`;
      return (await lockOutDeletions(sql)) ? await copyRows(sql, table, rows) : 'deleting';
    });
  } catch (error) {
    if (sqlStateOf(error) === QUERY_CANCELED) return 'late';
    throw error;
  }
}

/** Rows of a batch, 0 at the end of the table, and rows that were copied in all. */
interface CopiedBatch {
  readonly read: number;
  readonly copied: number;
}

async function lockOutDeletions(sql: Sql): Promise<boolean> {
  const [row] = await sql<{ locked: boolean }[]>`
    select pg_try_advisory_xact_lock(${advisoryLocks.partitionCopy}) as locked`;
  return row?.locked === true;
}

async function copyRows(sql: Sql, table: TableDefinition, batchRows: number): Promise<CopiedBatch> {
  const conversion = await conversionUnderWay(sql);
  if (conversion === undefined)
    throw new Error(`no conversion of ledger.${table.name} is under way`);
  const { key, columns } = table;
  const names = key.map(({ name }) => name).join(', ');
  const { afterKey } = conversion;
  const after = key.map(({ type }, i) => `($1::text[])[${i + 1}]::${type}`).join(', ');
  const [row] = await sql.unsafe<{ read: number; last: string[] | null }[]>(
    `with batch as materialized (
      select * from ledger.${table.name}
      ${afterKey === null ? 'where $1::text[] is null' : `where (${names}) > (${after})`}
      order by ${names} limit ${batchRows}
    ), added as (
      insert into ${newName(table)} (${columns.join(', ')}) select ${columns.join(', ')} from batch
      on conflict do nothing
    )
    select count(*)::int as read, (
      select array[${key.map(({ name }) => `${name}::text`).join(', ')}]
      from batch order by ${key.map(({ name }) => `${name} desc`).join(', ')} limit 1
    ) as last
    from batch`,
    [afterKey === null ? null : [...afterKey]],
  );
  const { read = 0, last = null } = row ?? {};
  const copied = conversion.copied + read;
  if (last !== null) {
    await sql`update ledger_conversion.conversion set after_key = ${last}, copied = ${copied}`;
  }
  return { read, copied };
}

/**
 * Compares all rows of the old table and the new one, as of one moment.
 * @throws if they differ.
 */
export async function requireEqual(sql: Sql, table: TableDefinition): Promise<void> {
  const sums = (name: string) => sql`
    select count(*) as rows, coalesce(sum(hashtextextended(t::text, 0)), 0) as hashes from ${sql(name)} t`;
  const [row] = await sql<{ equal: boolean; old: string; next: string }[]>`
    select old.rows as old, next.rows as next,
      (old.rows, old.hashes) = (next.rows, next.hashes) as equal
    from (${sums(`ledger.${table.name}`)}) old cross join (${sums(newName(table))}) next`;
  if (row?.equal === true) return;
  throw new Error(
    `ledger.${table.name} has ${row?.old} rows and its copy has ${row?.next}, or their contents differ. Nothing was replaced: undo it with --cancel, and report this.`,
  );
}

/**
 * Waits until no transaction has a snapshot in which rows are not copied yet. Such a transaction, for example an audit or
 * a backup, that reads the table only after it was replaced would not find them.
 */
export async function untilOlderSnapshotsEnd(
  sql: Sql,
  {
    signal,
    onWait,
  }: { readonly signal?: AbortSignal | undefined; readonly onWait: (sessions: string) => void },
): Promise<void> {
  const [now] = await sql<{ xid: string }[]>`select pg_current_xact_id()::text as xid`;
  for (;;) {
    signal?.throwIfAborted();
    // Vacuum's snapshots are of no table that it does not know already. A replica that sends its snapshots back has them in
    // the session that streams to it, or, with a replication slot, in the slot.
    const rows = await sql<{ session: string }[]>`
      select session from (
        select format('%s (process %s)', application_name, pid) as session, backend_xmin as xmin,
          xact_start as since
        from pg_stat_activity
        where pid <> pg_backend_pid() and backend_type <> 'autovacuum worker'
          and (datname = current_database() or datname is null)
        union all
        select format('a replica (slot %s)', slot_name), xmin, null from pg_replication_slots
      ) older
      where age(xmin) >= age(${now?.xid ?? '0'}::xid8::xid)
      order by since`;
    if (rows.length === 0) return;
    onWait(rows.map(({ session }) => session).join(', '));
    await setTimeout(SNAPSHOT_POLL_MS);
  }
}
