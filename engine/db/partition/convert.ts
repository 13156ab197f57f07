import { setTimeout } from 'node:timers/promises';
import { version } from '../../version.ts';
import { advisoryLocks } from '../advisory-locks.ts';
import { type Pool, type SessionSql, type Sql, withSession } from '../connection.ts';
import { withLockRetries } from '../lock-retries.ts';
import { lockMigrations } from '../migrate.ts';
import { sessionsOfOtherVersions } from '../sessions.ts';
import type { PartitionableTable } from '../tables/ledger.ts';
import { type Conversion, conversionUnderWay, PARTITIONS_SCHEMA } from './conversion.ts';
import { copyRemainingRows, requireEqual, untilOlderSnapshotsEnd } from './copy.ts';
import { endStatements, newName, prepareStatements, replaceStatements } from './ddl.ts';
import { readTable, type TableDefinition } from './table.ts';

/**
 * Time that a change of the schema waits for a lock. Less than PostgreSQL's `deadlock_timeout` (1 s), so that in a
 * deadlock it is always this command that gives up, and never a worker or a request.
 */
const LOCK_TIMEOUT = '500ms';

/** Milliseconds between two tries to get a lock. */
const LOCK_PAUSE_MS = 500;

/** Rows of a batch at most: some tenths of a second, for which deletions wait. */
const BATCH_ROWS = 5_000;

/** Tries to become the only command that converts tables: the session of a killed one may take seconds to end. */
const SESSION_TRIES = 100;
const SESSION_POLL_MS = 100;

/** A conversion cannot begin or continue, with the reason as a sentence. */
export class PartitionError extends Error {
  override readonly name = 'PartitionError';
}

/** Step of a conversion: a table is prepared, copied, compared and replaced. */
export interface PartitionProgress {
  readonly table: PartitionableTable;
  readonly step: 'preparing' | 'copying' | 'comparing' | 'waiting' | 'replacing';
  /** Rows that were copied, while copying. */
  readonly copied: number;
  /** Estimated rows of the table. */
  readonly rows: number;
  /** Sessions or locks that it waits for. */
  readonly waitsFor?: string;
}

/** Options of `partitionTables`. */
export interface PartitionOptions {
  readonly tables: readonly PartitionableTable[];
  /** Number of partitions, 2 to `MAX_PARTITIONS`; 1 for tables without partitions. */
  readonly partitions: number;
  /** Rows of a batch at most; default 5,000. */
  readonly batchRows?: number;
  readonly onProgress?: (progress: PartitionProgress) => void;
  /** Stops between two batches, so that a later run continues. */
  readonly signal?: AbortSignal;
}

/**
 * Converts tables of a database in use into tables that are partitioned by a hash of the campaign, or back. One table
 * after the other: the new table is filled in batches, while triggers carry over what is written meanwhile; then both
 * are compared, and the new one replaces the old one in a transaction of milliseconds. Tables that have the
 * wanted number of partitions already are skipped. If it is killed at any moment, the next run continues.
 * @returns the tables that were converted now.
 * @throws {PartitionError} if a table has something that a conversion would lose, programs of another version are
 * connected, or another run is under way.
 */
export async function partitionTables(
  pool: Pool,
  options: PartitionOptions,
): Promise<PartitionableTable[]> {
  return await exclusively(pool, async (connection) => {
    const underWay = await conversionUnderWay(connection);
    if (underWay !== undefined) await requireSame(underWay, options);
    const converted: PartitionableTable[] = [];
    for (const name of orderOf(options.tables, underWay)) {
      const table = await readTable(connection, name);
      if (table.partitions === options.partitions) continue;
      requireConvertible(table);
      await convertTable(connection, table, options);
      converted.push(name);
    }
    return converted;
  });
}

/**
 * Undoes a conversion that is under way. Tables that were replaced already keep their partitions.
 * @returns the table that remains as it was; `undefined` if no conversion was under way.
 */
export async function cancelConversion(pool: Pool): Promise<PartitionableTable | undefined> {
  return await exclusively(pool, async (connection) => {
    const underWay = await conversionUnderWay(connection);
    if (underWay === undefined) return undefined;
    await changeSchema(
      connection,
      () => {},
      async (sql) => {
        await sql.unsafe(`lock table ledger.${underWay.table} in access exclusive mode`);
        for (const statement of endStatements) await sql.unsafe(statement);
      },
    );
    await dropEmptyPartitionsSchema(connection);
    return underWay.table;
  });
}

/** The table that is being converted first, so that its triggers are gone soonest. */
function orderOf(
  tables: readonly PartitionableTable[],
  underWay: Conversion | undefined,
): readonly PartitionableTable[] {
  if (underWay === undefined) return tables;
  return [underWay.table, ...tables.filter((name) => name !== underWay.table)];
}

async function requireSame(
  { table, partitions }: Conversion,
  wanted: PartitionOptions,
): Promise<void> {
  if (partitions === wanted.partitions && wanted.tables.includes(table)) return;
  throw new PartitionError(
    `ledger.${table} is being converted to ${partitions} ${partitions === 1 ? 'partition' : 'partitions'}: finish that, or undo it with --cancel.`,
  );
}

function requireConvertible({ name, blockers }: TableDefinition): void {
  if (blockers.length === 0) return;
  throw new PartitionError(`ledger.${name} cannot be converted. ${blockers.join(' ')}`);
}

/**
 * Statements of an older version find rows by their location alone, which is not unique in a partitioned table: they
 * would change wrong rows.
 */
async function requireOneVersion(sql: Sql): Promise<void> {
  const others = await sessionsOfOtherVersions(sql);
  if (others.length === 0) return;
  throw new PartitionError(
    `All programs must have version ${version}, but these sessions belong to another: ${others.join(', ')}.`,
  );
}

async function convertTable(
  session: SessionSql,
  table: TableDefinition,
  { partitions, batchRows = BATCH_ROWS, onProgress = () => {}, signal }: PartitionOptions,
): Promise<void> {
  const report = (
    step: PartitionProgress['step'],
    more: Partial<Pick<PartitionProgress, 'copied' | 'waitsFor'>> = {},
  ) => onProgress({ table: table.name, step, copied: 0, rows: table.rows, ...more });
  const onLockWait = (step: PartitionProgress['step']) => () =>
    report(step, { waitsFor: 'transactions that use the table' });

  await requireOneVersion(session);
  if ((await conversionUnderWay(session)) === undefined) {
    report('preparing');
    await prepare(session, table, partitions, onLockWait('preparing'));
  }
  await copyRemainingRows(session, table, {
    batchRows,
    signal,
    onBatch: (copied) => report('copying', { copied }),
  });
  await session.unsafe(`analyze ${newName(table)}`);
  report('comparing');
  await requireEqual(session, table);
  await untilOlderSnapshotsEnd(session, {
    signal,
    onWait: (sessions) => report('waiting', { waitsFor: `older transactions of ${sessions}` }),
  });
  report('replacing');
  await requireOneVersion(session);
  await changeSchema(session, onLockWait('replacing'), async (sql) => {
    const relations = [...table.views, `ledger.${table.name}`];
    await sql.unsafe(`lock table ${relations.join(', ')} in access exclusive mode`);
    const views = await viewDefinitions(sql, table.views);
    for (const statement of replaceStatements(table, views)) await sql.unsafe(statement);
  });
  await dropEmptyPartitionsSchema(session);
}

/** Creates the new table and the triggers. Not while a migration runs, which could change the old table. */
async function prepare(
  session: SessionSql,
  table: TableDefinition,
  partitions: number,
  onWait: () => void,
): Promise<void> {
  await lockMigrations(session);
  await changeSchema(session, onWait, async (sql) => {
    for (const statement of prepareStatements(table, partitions)) await sql.unsafe(statement);
  });
  await session`select pg_advisory_unlock(${advisoryLocks.migrate})`;
}

async function changeSchema(
  session: SessionSql,
  onWait: () => void,
  work: (sql: Sql) => Promise<void>,
): Promise<void> {
  await withLockRetries(session, { timeout: LOCK_TIMEOUT, pauseMs: LOCK_PAUSE_MS, onWait }, work);
}

/** Definitions of views by name; within a transaction. Every name in them has its schema. */
async function viewDefinitions(
  sql: Sql,
  names: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const definitions = new Map<string, string>();
  await sql`select set_config('search_path', '', true)`;
  for (const name of names) {
    const [row] = await sql<{ definition: string }[]>`
      select pg_get_viewdef(${name}::regclass) as definition`;
    if (row !== undefined) definitions.set(name, row.definition);
  }
  return definitions;
}

/** Drops the schema of the partitions if no table has any. */
async function dropEmptyPartitionsSchema(sql: Sql): Promise<void> {
  const [row] = await sql<{ used: boolean }[]>`
    select exists (
      select from pg_class where relnamespace = to_regnamespace(${PARTITIONS_SCHEMA})
    ) as used`;
  if (row?.used === false) await sql.unsafe(`drop schema if exists ${PARTITIONS_SCHEMA}`);
}

/** Runs work in one session, while no other process converts tables. */
async function exclusively<T>(pool: Pool, work: (session: SessionSql) => Promise<T>): Promise<T> {
  return await withSession(pool, async (session) => {
    await session`set statement_timeout = 0`;
    await lockConversions(session);
    return await work(session);
  });
}

/** @throws {PartitionError} if another process converts tables. */
async function lockConversions(sql: Sql): Promise<void> {
  for (let tries = 0; tries < SESSION_TRIES; tries += 1) {
    const [row] = await sql<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${advisoryLocks.partition}) as locked`;
    if (row?.locked) return;
    await setTimeout(SESSION_POLL_MS);
  }
  throw new PartitionError('Another `tributary partition` is running.');
}
