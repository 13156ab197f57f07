import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from 'flydrive';
import { namedFiles, sequenceStates } from '../db/backup/dump.ts';
import {
  dropEmptySchemas,
  finishRestore,
  loadData,
  readRestore,
  requireEmpty,
} from '../db/backup/load.ts';
import { tablesToCopy } from '../db/backup/tables.ts';
import { type Pool, PostgresError, type Sql } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';
import { knownMigrations, migrate } from '../db/migrate.ts';
import { limits } from './limits.ts';
import { BackupError, type Manifest } from './manifest.ts';
import type { OpenBackup } from './open.ts';
import { readContent, readLines, stage } from './parts.ts';
import { type FoundFile, storedFiles, verifyManifest } from './verify.ts';

/** Everything that a restore needs from outside. */
export interface RestoreContext {
  readonly pool: Pool;
  readonly files: Disk;
  readonly backup: OpenBackup;
  /** The chain and contract of the configuration. */
  readonly deployment: Deployment;
  /** Highest block of the chain. */
  readonly chainHead: number;
  /** True to send webhooks and mails that may have been sent after the backup. */
  readonly resend: boolean;
  readonly onProgress: (text: string) => void;
}

/** Result of a restore. */
export interface RestoreReport {
  readonly rows: number;
  readonly files: number;
  /** Files that were missing when the backup was made. */
  readonly missing: number;
  /** Webhooks and mails that were cancelled, because they may have been sent after the backup. */
  readonly cancelled: number;
}

/**
 * Restores a backup into an empty database and into the storage. Everything is read and checked before anything of it is
 * written; then come the files, and all rows in one transaction: a restore that was killed can be repeated. What is written is
 * compared with its hash again, because a target can answer differently each time.
 * @throws {BackupError} if the backup is damaged, or of another chain, contract or a newer version.
 * @throws {NotEmptyError} if the database has rows.
 */
export async function restoreBackup(context: RestoreContext): Promise<RestoreReport> {
  const { pool, onProgress } = context;
  const { manifest } = context.backup;
  requireSameDeployment(manifest, context.deployment);
  await requireKnownMigrations(manifest);
  if (!(await isLoaded(context))) await load(context);
  onProgress('applying newer migrations');
  await migrate(pool);
  const { cancelled } = await finishRestore(pool, context.resend ? null : context.chainHead);
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0);
  const { count, missing } = manifest.files;
  return { rows, files: count - missing, missing, cancelled };
}

/** Restores files and rows into an empty database. */
async function load(context: RestoreContext): Promise<void> {
  const { pool, backup, onProgress } = context;
  const { manifest } = backup;
  await requireEmpty(pool);
  onProgress('reading the backup');
  await verifyManifest(backup, { contents: true });
  onProgress('preparing the database');
  await dropEmptySchemas(pool);
  await applyMigrations(pool, manifest);
  await requireTables(pool, manifest);
  const keys = await restoreFiles(context);
  const tables = new Map(manifest.tables.map((table) => [table.name, table]));
  await loadData(pool, {
    backup: manifest.name,
    deployment: manifest.deployment,
    roots: manifest.roots,
    tables: manifest.tables,
    sequences: manifest.sequences,
    withLedger: manifest.withLedger,
    linesOf: (name) => {
      const { rows = 0, parts = [] } = tables.get(name) ?? {};
      return readLines(backup, parts, { lineBytes: limits.rowBytes, rows });
    },
    onTable: onProgress,
    beforeCommit: (sql) => requireFiles(sql, manifest, keys),
  });
}

async function applyMigrations(pool: Pool, { name, migrations }: Manifest): Promise<void> {
  try {
    await migrate(pool, { only: migrations });
  } catch (error) {
    if (!(error instanceof PostgresError)) throw error;
    throw new BackupError(`${name}: migrations: they do not fit together: ${error.message}.`, {
      cause: error,
    });
  }
}

/**
 * A database with the migrations of a backup has exactly its tables, columns and sequences. So a table that is moved
 * from one list of `tables.ts` to another needs a migration, or older backups are refused.
 */
async function requireTables(sql: Sql, manifest: Manifest): Promise<void> {
  const { name, tables, sequences, withLedger } = manifest;
  const expected = await tablesToCopy(sql, withLedger);
  requireSame(`${name}: tables`, namesOf(tables), namesOf(expected));
  const columns = new Map(tables.map((table) => [table.name, table.columns]));
  for (const table of expected) {
    const found = columns.get(table.name) ?? [];
    requireSame(`${name}: columns of ${table.name}`, found, table.columns);
  }
  const states = await sequenceStates(sql, withLedger);
  requireSame(`${name}: sequences`, namesOf(sequences), namesOf(states));
}

function namesOf(all: readonly { readonly name: string }[]): string[] {
  return all.map(({ name }) => name);
}

function requireSame(what: string, found: readonly string[], expected: readonly string[]): void {
  const missing = expected.find((one) => !found.includes(one));
  if (missing !== undefined) throw new BackupError(`${what}: ${missing} is missing.`);
  const unknown = found.find((one) => !expected.includes(one));
  if (unknown !== undefined) throw new BackupError(`${what}: ${unknown} is unknown.`);
}

/** The files of a backup are those that its rows name. */
async function requireFiles(
  sql: Sql,
  { name }: Manifest,
  keys: ReadonlySet<string>,
): Promise<void> {
  let count = 0;
  for await (const batch of namedFiles(sql)) {
    for (const { key } of batch) {
      count += 1;
      if (!keys.has(key)) throw new BackupError(`${name}: the list of files lacks ${key}.`);
    }
  }
  if (count !== keys.size) {
    throw new BackupError(`${name}: the list of files has ${keys.size}, and rows name ${count}.`);
  }
}

function requireSameDeployment({ name, deployment }: Manifest, own: Deployment): void {
  const differs = (['chainId', 'genesisHash', 'contractAddress'] as const).filter(
    (key) => deployment[key] !== own[key],
  );
  if (differs.length === 0) return;
  const text = differs.map((key) => `${key} ${deployment[key]} and not ${own[key]}`).join(', ');
  throw new BackupError(`${name} is of ${text}: set the variables of the chain that it is of.`);
}

async function requireKnownMigrations({ name, migrations, version }: Manifest): Promise<void> {
  const known = await knownMigrations();
  const unknown = migrations.filter((migration) => !known.includes(migration));
  if (unknown.length === 0) return;
  throw new BackupError(
    `${name} has migrations that this version does not know (${unknown.join(', ')}): restore it with version ${version} or later.`,
  );
}

/**
 * True if an earlier try was killed after it had loaded all files and rows of this backup.
 * @throws {BackupError} if this database is restored already.
 */
async function isLoaded({ pool, backup }: RestoreContext): Promise<boolean> {
  const done = await readRestore(pool);
  if (done === undefined) return false;
  if (!done.finished && done.backup === backup.manifest.name) return true;
  throw new BackupError(
    done.finished
      ? `This database was restored from ${done.backup} already: \`tributary restore verify\` compares its ledger.`
      : `A restore of ${done.backup} into this database was not finished: restore that one again.`,
  );
}

/** @returns the keys of all files that the backup lists. */
async function restoreFiles({ files, backup, onProgress }: RestoreContext): Promise<Set<string>> {
  const keys = new Set<string>();
  const scratch = await mkdtemp(join(tmpdir(), 'tributary-restore-'));
  try {
    for await (const found of storedFiles(backup)) {
      keys.add(found.file.key);
      onProgress(`file ${keys.size} of ${backup.manifest.files.count}`);
      if (!found.file.missing) await restoreFile({ files, backup, scratch }, found);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  return keys;
}

async function restoreFile(
  { files, backup, scratch }: { files: Disk; backup: OpenBackup; scratch: string },
  found: FoundFile,
): Promise<void> {
  const { key, size, sha256 } = found.file;
  if (await hasContent(files, key, sha256)) return;
  const { path } = await stage({ scratch, encryption: undefined }, readContent(backup, found));
  await files.putStream(key, createReadStream(path), { contentLength: size });
  await rm(path);
}

/** True if the storage has the file with this content: an earlier try has restored it. */
async function hasContent(files: Disk, key: string, sha256: string): Promise<boolean> {
  if (!(await files.exists(key))) return false;
  const hash = createHash('sha256');
  for await (const chunk of await files.getStream(key)) hash.update(chunk);
  return hash.digest('hex') === sha256;
}
