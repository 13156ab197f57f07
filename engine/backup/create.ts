import { createHash, randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { Disk } from 'flydrive';
import { countOf } from '../core/count-of.ts';
import type { Keccak256 } from '../core/digest.ts';
import { advisoryLocks } from '../db/advisory-locks.ts';
import {
  appliedMigrations,
  copyOut,
  inSnapshot,
  isStillNamed,
  type NamedFile,
  namedFiles,
  requireStoredDeployment,
  rootsNow,
  sequenceStates,
} from '../db/backup/dump.ts';
import { recordBackup } from '../db/backup/record.ts';
import { tablesToCopy } from '../db/backup/tables.ts';
import type { Pool, Sql } from '../db/connection.ts';
import { withLock } from '../db/with-lock.ts';
import type { Encryption } from './encryption.ts';
import { limits } from './limits.ts';
import {
  BackupError,
  checkedAs,
  contentKey,
  contentsKey,
  descriptionKey,
  ENCRYPTED,
  listKey,
  Manifest,
  manifestKey,
  nameTime,
  objectKey,
  type Part,
  PLAIN,
  type Sealed,
  StoredFile,
  type StoredObject,
  tableKey,
} from './manifest.ts';
import { isSealed, partsOf, type StoredManifest } from './open.ts';
import { type PartTarget, type StagedFile, stage, storeLines } from './parts.ts';
import { type Keep, listBackups, prune, removeIncomplete } from './retention.ts';
import type { BackupStore } from './store.ts';
import { verifyManifest, verifySealed } from './verify.ts';

/** Everything that making a backup needs from outside. */
export interface BackupContext {
  /** Two connections at least: one holds the snapshot. */
  readonly pool: Pool;
  /** Storage of uploads and reports. */
  readonly files: Disk;
  readonly store: BackupStore;
  readonly keccak256: Keccak256;
  /** `undefined` for a backup that everyone who has it can read. */
  readonly encryption: Encryption | undefined;
  /** Version of Tributary. */
  readonly version: string;
  readonly withLedger: boolean;
  /** Which backups to keep; `undefined` for all. */
  readonly keep: Keep | undefined;
  readonly onProgress: (text: string) => void;
}

/** Result of a backup. */
export interface BackupReport {
  readonly manifest: Manifest;
  /** Files that this backup stored, because no earlier one had. */
  readonly stored: { readonly files: number; readonly bytes: number };
  /** Keys of files that rows name and that are lost or damaged, at most 100. */
  readonly lost: readonly string[];
  /** Names of the backups that were removed. */
  readonly removed: readonly string[];
}

/** Snapshots that are taken if files are deleted while they are copied. */
const MAX_SNAPSHOTS = 3;

/** Files that are copied concurrently. */
const CONCURRENT_FILES = 8;

const MAX_LOST = 100;

/**
 * Makes a backup while the deployment runs. All rows are of one moment, and the files are those that these rows name.
 * The manifest is written last, and older backups are removed only after this one was read back.
 * @throws {BackupError} if another backup runs, or the target belongs to another deployment.
 */
export async function createBackup(context: BackupContext): Promise<BackupReport> {
  const done = await withLock(context.pool, advisoryLocks.backup, async () => {
    const backups = await requireOwnTarget(context);
    await removeIncomplete(context.store);
    await context.store.removeScratch();
    await untilLaterSecond(backups.at(-1));
    const scratch = await context.store.openScratch();
    try {
      return await withRetries(context, scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  if (done === undefined) throw new BackupError('Another backup of this database is running.');
  return done;
}

/**
 * Two deployments in one target would remove each other's files.
 * @returns the backups of the target, oldest first.
 */
async function requireOwnTarget({
  pool,
  store,
  encryption,
}: BackupContext): Promise<readonly StoredManifest[]> {
  const own = await requireStoredDeployment(pool);
  const backups = await listBackups(store);
  for (const one of backups) {
    const { name, deployment } = one;
    if (isSealed(one) && encryption === undefined) {
      throw new BackupError(
        `${store.url} has an encrypted backup (${name}), and BACKUP_RECIPIENTS is not set: set it, or use another target.`,
      );
    }
    const isOwn =
      deployment.chainId === own.chainId &&
      deployment.genesisHash === own.genesisHash &&
      deployment.contractAddress === own.contractAddress;
    if (isOwn) continue;
    throw new BackupError(
      `${store.url} has a backup (${name}) of contract ${deployment.contractAddress} on chain ${deployment.chainId}: use another target for each deployment.`,
    );
  }
  return backups;
}

/** Names order backups by the second, so no two backups of a target begin within the same one. */
async function untilLaterSecond(newest: StoredManifest | undefined): Promise<void> {
  while (newest?.name.startsWith(nameTime(new Date().toISOString()))) {
    await setTimeout(1_000 - (Date.now() % 1_000));
  }
}

async function withRetries(context: BackupContext, scratch: string): Promise<BackupReport> {
  for (let snapshot = 1; ; snapshot += 1) {
    const run = new BackupRun(context, scratch);
    const isLast = snapshot === MAX_SNAPSHOTS;
    const manifest = await run.copy();
    if (run.deleted > 0 && !isLast) {
      context.onProgress(
        `${countOf(run.deleted, 'file was', 'files were')} deleted meanwhile: taking another snapshot`,
      );
      await removeIncomplete(context.store);
      continue;
    }
    return await run.finish(manifest);
  }
}

/** One snapshot, and what is copied of it. */
class BackupRun {
  readonly #context: BackupContext;
  readonly #scratch: string;
  readonly #createdAt = new Date();
  readonly #name: string;
  readonly #lost: string[] = [];
  /** Encrypted contents that this backup needs, by name. */
  readonly #objects = new Map<string, StoredObject>();
  #stored = { files: 0, bytes: 0 };
  /** Files that were deleted, with their rows, after the snapshot. */
  deleted = 0;

  constructor(context: BackupContext, scratch: string) {
    this.#context = context;
    this.#scratch = scratch;
    this.#name = `${nameTime(this.#createdAt.toISOString())}-${randomBytes(4).toString('hex')}`;
  }

  /** Copies everything but the manifest. */
  async copy(): Promise<Manifest> {
    const { pool, version, withLedger, keccak256, onProgress } = this.#context;
    return await inSnapshot(pool, async (sql) => {
      const [deployment, migrations] = [
        await requireStoredDeployment(sql),
        await appliedMigrations(sql),
      ];
      const roots = await rootsNow(sql, keccak256);
      const tables: Manifest['tables'] = [];
      for (const table of await tablesToCopy(sql, withLedger)) {
        onProgress(table.name);
        const lines = await copyOut(sql, table);
        const keyOf = tableKey(this.#format, this.#name, table.name);
        const { parts, rows } = await storeLines(this.#target, keyOf, lines, limits.rowBytes);
        tables.push({ name: table.name, columns: [...table.columns], rows, parts });
      }
      const sequences = await sequenceStates(sql, withLedger);
      const files = await this.#copyFiles(sql);
      const manifest = {
        ...{ format: this.#format, name: this.#name, version },
        createdAt: this.#createdAt.toISOString(),
        ...{ deployment, migrations, withLedger, roots, tables, sequences, files },
      };
      return checkedAs(Manifest, this.#name, manifest, 'a backup that could be restored');
    });
  }

  /** Writes the manifest, reads everything back, records the backup and removes older ones. */
  async finish(manifest: Manifest): Promise<BackupReport> {
    const { store, pool, keep, onProgress } = this.#context;
    const { encryption } = this.#context;
    const stored = encryption === undefined ? manifest : await this.#seal(manifest, encryption);
    onProgress('reading it back');
    if (isSealed(stored)) await verifySealed(store, stored);
    else await verifyManifest({ store, manifest, identities: undefined }, { contents: false });
    await this.#putJson(manifestKey(this.#name), stored, undefined);
    await recordBackup(pool, {
      id: this.#name,
      finishedAt: new Date(),
      blockNumber: manifest.roots[0]?.block.number ?? null,
      bytes: this.#stored.bytes + bytesOf(manifest),
    });
    const removed = keep === undefined ? [] : await prune(store, keep, this.#name);
    return { manifest, stored: this.#stored, lost: this.#lost, removed };
  }

  get #target(): PartTarget {
    const { store, encryption } = this.#context;
    return { store, encryption, scratch: this.#scratch };
  }

  get #format() {
    return this.#context.encryption === undefined ? PLAIN : ENCRYPTED;
  }

  /** Stores the encrypted manifest, and the list of contents that retention needs. */
  async #seal(manifest: Manifest, encryption: Encryption): Promise<Sealed> {
    const { name, version, createdAt, deployment } = manifest;
    const description = await this.#putJson(descriptionKey(name), manifest, encryption);
    const lines = [...this.#objects.values()].map((one) => `${JSON.stringify(one)}\n`);
    const target = { ...this.#target, encryption: undefined };
    const source = Readable.from(lines, { objectMode: false });
    const contents = await storeLines(target, contentsKey(name), source, limits.listLineBytes);
    return {
      ...{ format: ENCRYPTED, name, version, createdAt, deployment, description },
      recipients: [...encryption.recipients],
      parts: partsOf(manifest),
      contents: { count: contents.rows, parts: contents.parts },
    };
  }

  async #copyFiles(sql: Sql): Promise<Manifest['files']> {
    this.#context.onProgress('files');
    const totals = { count: 0, bytes: 0, missing: 0 };
    const copyAll = async function* (this: BackupRun) {
      for await (const batch of namedFiles(sql)) {
        for (const file of await inTurns(batch, (one) => this.#copyFile(one))) {
          totals.count += 1;
          totals.bytes += file.missing ? 0 : file.size;
          totals.missing += file.missing ? 1 : 0;
          yield `${JSON.stringify(file)}\n`;
        }
      }
    };
    const lines = Readable.from(copyAll.call(this), { objectMode: false });
    const keyOf = listKey(this.#format, this.#name);
    const { parts } = await storeLines(this.#target, keyOf, lines, limits.listLineBytes);
    return { ...totals, parts };
  }

  /** Copies a file unless its content is stored. */
  async #copyFile(named: NamedFile): Promise<StoredFile> {
    const { store, files, pool } = this.#context;
    const { key } = named;
    checkedAs(StoredFile, `The row of ${key}`, { ...named, missing: false }, 'one of a file');
    const place = this.#placeOf(named.sha256);
    if ((await store.size(place.key)) === (await this.#storedSize(named.size))) {
      return this.#noteStored(named, place.object, await this.#storedSize(named.size));
    }
    let read: StagedFile & { readonly plain: { size: number; sha256: string } };
    try {
      read = await this.#readFile(files, key);
    } catch (error) {
      if (!isMissing(error)) throw error;
      if (await isStillNamed(pool, key)) this.#noteLost(`${key} (missing)`);
      else this.deleted += 1;
      return { ...named, missing: true };
    }
    const { path, size, plain } = read;
    // The content that is there is stored all the same: it may be all that is left of the file.
    if (plain.sha256 !== named.sha256) {
      this.#noteLost(`${key} (its content is not what was uploaded)`);
    }
    const found = this.#placeOf(plain.sha256);
    await store.put(found.key, path);
    this.#stored = { files: this.#stored.files + 1, bytes: this.#stored.bytes + size };
    return this.#noteStored({ key, ...plain }, found.object, size);
  }

  /** Where a content is stored, and the name of its object if it is encrypted. */
  #placeOf(sha256: string): { readonly key: string; readonly object?: string } {
    const object = this.#context.encryption?.objectOf(sha256);
    return object === undefined ? { key: contentKey(sha256) } : { key: objectKey(object), object };
  }

  async #storedSize(plain: number): Promise<number> {
    return (await this.#context.encryption?.sizeOf(plain)) ?? plain;
  }

  #noteStored(file: NamedFile, object: string | undefined, size: number): StoredFile {
    if (object === undefined) return { ...file, missing: false };
    this.#objects.set(object, { object, size });
    return { ...file, missing: false, object };
  }

  async #readFile(files: Disk, key: string) {
    const hash = createHash('sha256');
    let size = 0;
    async function* measured() {
      // Read immediately: the error of a stream that nothing reads ends the process.
      for await (const chunk of (await files.getStream(key)) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        size += chunk.length;
        yield chunk;
      }
    }
    const staged = await stage(this.#target, measured());
    return { ...staged, plain: { size, sha256: hash.digest('hex') } };
  }

  #noteLost(text: string): void {
    if (this.#lost.length < MAX_LOST) this.#lost.push(text);
  }

  async #putJson(key: string, value: object, encryption: Encryption | undefined): Promise<Part> {
    const text = Buffer.from(`${JSON.stringify(value, null, 1)}\n`);
    if (text.length > limits.manifestBytes) {
      throw new BackupError(`${key} would have more than ${limits.manifestBytes} bytes.`);
    }
    const { path, ...staged } = await stage({ scratch: this.#scratch, encryption }, only(text));
    await this.#context.store.put(key, path);
    return { key, ...staged };
  }
}

async function* only(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** True if an error of the storage says that there is no such file. */
function isMissing(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { code, name } = at as { code?: string; name: string };
    if (code === 'ENOENT' || name === 'NoSuchKey' || name === 'NotFound') return true;
  }
  return false;
}

/** Maps items concurrently, some at a time, in their order. If one fails, none is under way any more. */
async function inTurns<T, R>(items: readonly T[], map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += CONCURRENT_FILES) {
    const turn = items.slice(at, at + CONCURRENT_FILES).map(map);
    await Promise.allSettled(turn);
    results.push(...(await Promise.all(turn)));
  }
  return results;
}

function bytesOf(manifest: Manifest): number {
  return partsOf(manifest).reduce((sum, { size }) => sum + size, 0);
}
