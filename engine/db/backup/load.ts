import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Pool, Sql } from '../connection.ts';
import type { Deployment } from '../deployment.ts';
import { quietOutboxes, startNewEpoch } from './after-restore.ts';
import { type BlockRoot, type SequenceState, setCopyFormat } from './dump.ts';
import { filledTables, quoted, type TableColumns, withColumns } from './tables.ts';

/** Thrown if a restore would mix with rows that the database already has. */
export class NotEmptyError extends Error {
  override readonly name = 'NotEmptyError';

  constructor(table: string) {
    super(
      `This database is not empty (${table} has rows): restore into a new one, with \`createdb\`, and give it as DATABASE_URL.`,
    );
  }
}

/** Record of the restore that made a database. */
export interface RestoreRecord {
  /** Name of the backup. */
  readonly backup: string;
  readonly deployment: Deployment;
  /** Roots that the ledger must have; the settled block first. */
  readonly roots: readonly BlockRoot[];
  /** False while `finishRestore` has not run. */
  readonly finished: boolean;
}

/** The data of a backup, as `loadData` takes it. */
export interface DataToLoad extends Omit<RestoreRecord, 'finished'> {
  readonly tables: readonly TableColumns[];
  readonly sequences: readonly SequenceState[];
  readonly withLedger: boolean;
  /** Lines of a table, as `copyOut` wrote them. */
  readonly linesOf: (table: string) => Readable;
  readonly onTable: (table: string) => void;
  /** Is called with all rows loaded. If it fails, nothing is. */
  readonly beforeCommit: (sql: Sql) => Promise<void>;
}

/** The restore that made this database; `undefined` if none did. */
export async function readRestore(sql: Sql): Promise<RestoreRecord | undefined> {
  const [found] = await sql`select to_regclass('public.tributary_restore') as name`;
  if (found?.name == null) return undefined;
  const [row] = await sql<{ record: RestoreRecord }[]>`
    select record from public.tributary_restore`;
  return row?.record;
}

/** @throws {NotEmptyError} if the database has rows that no migration wrote. */
export async function requireEmpty(sql: Sql): Promise<void> {
  const [table] = await filledTables(sql);
  if (table !== undefined) throw new NotEmptyError(table);
}

/** Removes what migrations made in a database without rows, so that those of the backup can be applied. */
export async function dropEmptySchemas(pool: Pool): Promise<void> {
  await pool.begin(async (sql) => {
    await requireEmpty(sql);
    await sql`drop schema if exists ledger cascade`;
    await sql`drop schema if exists commerce cascade`;
    await sql`drop table if exists public.tributary_migration`;
  });
}

/**
 * Loads all rows of a backup in one transaction: a database has all of it or nothing. Triggers do not run, because
 * what they would write is in the backup too; constraints are checked.
 * @throws {NotEmptyError} if rows were added meanwhile.
 */
export async function loadData(pool: Pool, data: DataToLoad): Promise<void> {
  const { tables, sequences, linesOf } = data;
  const names = tables.map(({ name }) => name);
  await pool.begin(async (sql) => {
    await setCopyFormat(sql);
    await sql.unsafe(`lock table ${listed(names)} in access exclusive mode`);
    await requireEmpty(sql);
    for (const name of names) await sql`alter table ${sql(name)} disable trigger user`;
    await sql.unsafe(`truncate ${listed(names)}`);
    for (const table of tables) {
      data.onTable(table.name);
      await copyIn(sql, table, linesOf(table.name));
    }
    for (const name of names) await sql`alter table ${sql(name)} enable trigger user`;
    for (const { name, value, isCalled } of sequences) {
      await sql`select setval(${name}::regclass, ${value}::bigint, ${isCalled})`;
    }
    await data.beforeCommit(sql);
    if (data.withLedger) await forgetIndexer(sql);
    await recordRestore(sql, data);
  });
}

/** Adds rows to a table, from lines as `copyOut` wrote them. @throws the error of the database if they do not fit. */
async function copyIn(sql: Sql, table: TableColumns, lines: Readable): Promise<void> {
  await pipeline(lines, await sql.unsafe(`copy ${withColumns(table)} from stdin`).writable());
}

/**
 * Ends a restore, after all migrations: until then a repeated restore continues here.
 * @param quietUpToBlock highest block of the chain: events up to it may have been sent already. `null` to send them.
 * @returns webhooks and mails that were cancelled, because they may have been sent after the backup.
 */
export async function finishRestore(
  pool: Pool,
  quietUpToBlock: number | null,
): Promise<{ cancelled: number }> {
  return await pool.begin(async (sql) => {
    await startNewEpoch(sql);
    const cancelled = quietUpToBlock === null ? 0 : await quietOutboxes(sql, quietUpToBlock);
    await sql`
      update public.tributary_restore set record = record || '{"finished": true}', restored_at = now()`;
    return { cancelled };
  });
}

/** The indexer's schema is not in a backup: settlement waits until an indexer names its own. */
async function forgetIndexer(sql: Sql): Promise<void> {
  await sql`update ledger.head set indexer_schema = 'restored', indexer_ready = false`;
}

async function recordRestore(
  sql: Sql,
  { backup, deployment, roots }: Omit<RestoreRecord, 'finished'>,
): Promise<void> {
  const record: RestoreRecord = { backup, deployment, roots, finished: false };
  await sql`
    create table if not exists public.tributary_restore (
      singleton boolean primary key default true check (singleton),
      restored_at timestamptz not null default now(),
      record jsonb not null
    )`;
  await sql`delete from public.tributary_restore`;
  await sql`insert into public.tributary_restore (record) values (${JSON.stringify(record)}::text::jsonb)`;
}

function listed(tables: readonly string[]): string {
  return tables.map(quoted).join(', ');
}
