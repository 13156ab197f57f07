import { readdir, readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { advisoryLocks } from './advisory-locks.ts';
import { type Pool, type SessionSql, type Sql, withSession } from './connection.ts';
import { withLockRetries } from './lock-retries.ts';

const FOLDER = new URL('./migrations/', import.meta.url);

/** The newest migration that declares no locks: those up to it were made before the rule. */
const LAST_UNDECLARED = '0048_browse.sql';

/** Milliseconds between two tries to get the lock of migrations. */
const LOCK_POLL_MS = 250;

/** A newer version of this program has changed the database. */
class NewerDatabaseError extends Error {
  override readonly name = 'NewerDatabaseError';

  constructor(readonly migrations: readonly string[]) {
    super(
      `This database has migrations that this version does not know (${migrations.join(', ')}): run the newer version that made them.`,
    );
  }
}

/** A database cannot store every text. */
class EncodingError extends Error {
  override readonly name = 'EncodingError';

  constructor(encoding: string) {
    super(
      `The database has the encoding ${encoding}, and cannot store every name: make one with the encoding UTF8 (createdb --encoding=UTF8 --template=template0).`,
    );
  }
}

/** Tables are partitioned, or were being converted, by a development version that could do so. */
class PartitionedError extends Error {
  override readonly name = 'PartitionedError';

  constructor() {
    super(
      'Tables of this ledger are partitioned, which this version does not support; nothing was changed. Run `tributary partition --partitions 1` of the version that partitioned them, which keeps all rows; if a conversion was interrupted, `tributary partition --cancel` first.',
    );
  }
}

/** A migration, as its file declares it (docs/operate/upgrade.md#versions). */
export interface Migration {
  readonly name: string;
  readonly text: string;
  /**
   * Tables that writers must wait for until it ends, as `schema.table`; `undefined` in migrations that
   * were made before this had to be declared.
   */
  readonly locks: readonly string[] | undefined;
  /**
   * True if its statements run one by one outside of a transaction, without blocking writes. Each can be
   * repeated, because a migration that was interrupted starts again with the first one.
   */
  readonly online: boolean;
}

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Folder of the files; default those of this version. */
  readonly folder?: URL;
  /** Is called before each migration, and whenever one has to wait for a lock. */
  readonly log?: (line: string) => void;
  /** Names of the migrations to apply now, for a restore; default all. */
  readonly only?: readonly string[];
}

/**
 * Brings a database up to the newest migration, each in a transaction of its own with the note that
 * it was applied. Migrations that are marked as online run outside of a transaction. Processes that
 * start together wait for each other.
 * @returns the names of the migrations applied now.
 * @throws {EncodingError} if the database has another encoding than UTF8: nothing is changed.
 * @throws {NewerDatabaseError} if it has some that this version does not know: nothing is changed.
 * @throws {PartitionedError} if tables are partitioned: nothing is changed.
 */
export async function migrate(pool: Pool, options: MigrateOptions = {}): Promise<string[]> {
  const migrations = await readMigrations(options.folder);
  return await withSession(pool, async (session) => {
    // An index over a great ledger takes longer than a request may.
    await session`set statement_timeout = 0`;
    await requireUtf8(session);
    await requirePlainTables(session);
    await lockMigrations(session);
    await session`
      create table if not exists public.tributary_migration (
        name text primary key,
        applied_at timestamptz not null default now()
      )`;
    const missing = (await notApplied(session, migrations)).filter(
      ({ name }) => options.only?.includes(name) !== false,
    );
    for (const migration of missing) await apply(session, migration, options.log);
    return missing.map(({ name }) => name);
  });
}

/**
 * Names of the migrations that a database lacks, in order. Changes nothing.
 * @throws {NewerDatabaseError} if it has some that this version does not know.
 * @throws {PartitionedError} if tables are partitioned.
 */
export async function pendingMigrations(pool: Pool): Promise<string[]> {
  await requirePlainTables(pool);
  const migrations = await readMigrations();
  const [row] = await pool<{ isEmpty: boolean }[]>`
    select to_regclass('public.tributary_migration') is null as "isEmpty"`;
  const pending = row?.isEmpty ? migrations : await notApplied(pool, migrations);
  return pending.map(({ name }) => name);
}

async function notApplied(sql: Sql, migrations: readonly Migration[]): Promise<Migration[]> {
  const rows = await sql<{ name: string }[]>`select name from public.tributary_migration`;
  const done = new Set(rows.map((row) => row.name));
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = [...done].filter((name) => !known.has(name)).sort();
  if (unknown.length > 0) throw new NewerDatabaseError(unknown);
  return migrations.filter(({ name }) => !done.has(name));
}

/** Names of the migrations that this version has, in order. */
export async function knownMigrations(): Promise<string[]> {
  return (await readMigrations()).map(({ name }) => name);
}

/**
 * Reads the migrations of a folder, in their order.
 * @throws if one does not declare its locks, or declares them and is online.
 */
export async function readMigrations(folder: URL = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return await Promise.all(
    names.map(async (name) => {
      const text = await readFile(new URL(name, folder), 'utf8');
      const online = /^-- online$/m.test(text);
      const [, declared] = /^-- locks: (.+)$/m.exec(text) ?? [];
      if (name > LAST_UNDECLARED && online === (declared !== undefined)) {
        throw new Error(`${name} must have one of the comments "-- locks: …" and "-- online".`);
      }
      const locks = declared === 'none' ? [] : declared?.split(', ').sort();
      return { name, text, locks, online };
    }),
  );
}

/** One symbol of a stranger's token that cannot be stored would stop every campaign. */
async function requireUtf8(session: Sql): Promise<void> {
  const [row] = await session<{ server_encoding: string }[]>`show server_encoding`;
  const encoding = row?.server_encoding ?? 'unknown';
  if (encoding !== 'UTF8') throw new EncodingError(encoding);
}

/**
 * Refuses partitioned tables. Statements find rows by their location alone, which is not unique in such a table: they
 * would change wrong rows.
 */
async function requirePlainTables(sql: Sql): Promise<void> {
  const [row] = await sql<{ partitioned: boolean }[]>`
    select to_regnamespace('ledger_conversion') is not null or exists (
      select from pg_class where relkind = 'p' and relnamespace = to_regnamespace('ledger')
    ) as partitioned`;
  if (row?.partitioned === true) throw new PartitionedError();
}

/**
 * Gets the lock of migrations. By tries: a statement that waits for it has a snapshot, and an index
 * that is built concurrently under it would wait for that snapshot.
 */
async function lockMigrations(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ locked: boolean }[]>`
      select pg_try_advisory_lock(${advisoryLocks.migrate}) as locked`;
    if (row?.locked) return;
    await setTimeout(LOCK_POLL_MS);
  }
}

async function apply(
  session: SessionSql,
  migration: Migration,
  log: (line: string) => void = () => {},
): Promise<void> {
  const { name, text, online } = migration;
  log(`Applying ${name}.`);
  if (online) {
    await dropUnfinishedIndexes(session);
    for (const statement of statementsOf(text)) {
      await session.unsafe(statement);
    }
    await noteApplied(session, name);
    return;
  }
  const onWait = () => log(`${name} waits for a transaction that holds its tables.`);
  await withLockRetries(session, onWait, async (sql) => {
    await sql.unsafe(text);
    await noteApplied(sql, name);
  });
}

/** Statements of an online migration: each ends with a semicolon at the end of a line. */
export function statementsOf(text: string): string[] {
  return text.split(/(?<=;)\s*$/m).filter((part) => part.replace(/^--.*$/gm, '').trim() !== '');
}

async function noteApplied(sql: Sql, name: string): Promise<void> {
  await sql`insert into public.tributary_migration (name) values (${name})`;
}

/** Drops indexes that an interrupted online migration left behind: they are written, but never read. */
async function dropUnfinishedIndexes(sql: Sql): Promise<void> {
  const rows = await sql<{ name: string }[]>`
    select indexrelid::regclass::text as name from pg_index
    join pg_class on pg_class.oid = indexrelid
    where not indisvalid and relnamespace in (
      select oid from pg_namespace where nspname in ('ledger', 'commerce')
    )`;
  for (const { name } of rows) await sql.unsafe(`drop index concurrently ${name}`);
}
