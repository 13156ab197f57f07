import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Disk } from 'flydrive';
import {
  dropEmptySchemas,
  finishRestore,
  loadData,
  readRestore,
  requireEmpty,
} from '../db/backup/load.ts';
import type { Pool } from '../db/connection.ts';
import type { Deployment } from '../db/deployment.ts';
import { knownMigrations, migrate } from '../db/migrate.ts';
import { BackupError, contentKey, type Manifest, type StoredFile } from './manifest.ts';
import { readLines } from './parts.ts';
import { type BackupStore, openPrivateFile } from './store.ts';
import { storedFiles, verifyManifest } from './verify.ts';

/** Everything that a restore needs from outside. */
export interface RestoreContext {
  readonly pool: Pool;
  readonly files: Disk;
  readonly store: BackupStore;
  readonly manifest: Manifest;
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
 * Restores a backup into an empty database and into the storage. Everything is checked before anything is changed;
 * then come the files, and all rows in one transaction: a restore that was killed can be repeated.
 * @throws {BackupError} if the backup is damaged, or of another chain, contract or a newer version.
 * @throws {NotEmptyError} if the database has rows.
 */
export async function restoreBackup(context: RestoreContext): Promise<RestoreReport> {
  const { pool, manifest, onProgress } = context;
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
  const { pool, store, manifest, onProgress } = context;
  await requireEmpty(pool);
  onProgress('reading the backup');
  await verifyManifest(store, manifest, { contents: true });
  await restoreFiles(context);
  onProgress('preparing the database');
  await dropEmptySchemas(pool);
  await migrate(pool, { only: manifest.migrations });
  const parts = new Map(manifest.tables.map((table) => [table.name, table.parts]));
  await loadData(pool, {
    backup: manifest.name,
    deployment: manifest.deployment,
    roots: manifest.roots,
    tables: manifest.tables,
    sequences: manifest.sequences,
    withLedger: manifest.withLedger,
    linesOf: (table) => readLines(store, parts.get(table) ?? []),
    onTable: onProgress,
  });
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
async function isLoaded({ pool, manifest }: RestoreContext): Promise<boolean> {
  const done = await readRestore(pool);
  if (done === undefined) return false;
  if (!done.finished && done.backup === manifest.name) return true;
  throw new BackupError(
    done.finished
      ? `This database was restored from ${done.backup} already: \`tributary restore verify\` compares its ledger.`
      : `A restore of ${done.backup} into this database was not finished: restore that one again.`,
  );
}

async function restoreFiles({ files, store, manifest, onProgress }: RestoreContext): Promise<void> {
  let count = 0;
  const scratch = await mkdtemp(join(tmpdir(), 'tributary-restore-'));
  try {
    for await (const file of storedFiles(store, manifest.files)) {
      count += 1;
      onProgress(`file ${count} of ${manifest.files.count}`);
      if (!file.missing) await restoreFile({ files, store, scratch }, file);
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function restoreFile(
  { files, store, scratch }: { files: Disk; store: BackupStore; scratch: string },
  { key, size, sha256 }: StoredFile,
): Promise<void> {
  if (await hasContent(files, key, sha256)) return;
  const { path, file } = await openPrivateFile(scratch);
  try {
    for await (const chunk of await store.read(contentKey(sha256))) await file.appendFile(chunk);
  } finally {
    await file.close();
  }
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
