import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Disk } from 'flydrive';
import { type BackupReport, createBackup } from '../../engine/backup/create.ts';
import type { Encryption } from '../../engine/backup/encryption.ts';
import type { Manifest, Part } from '../../engine/backup/manifest.ts';
import { type OpenOptions, openBackup, readManifest } from '../../engine/backup/open.ts';
import { restoreBackup } from '../../engine/backup/restore.ts';
import { newestBackup } from '../../engine/backup/retention.ts';
import { type BackupStore, FolderStore } from '../../engine/backup/store.ts';
import { openKeccak } from '../../engine/chain/keccak.ts';
import { openFolder } from '../../engine/cli/storage.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { account } from '../support/history.ts';

/** Text of a row, which no encrypted backup may show. */
export const SHOP = 'The shop of the backup';

/** Content of an upload. */
export const UPLOAD = Buffer.from('What a customer buys. '.repeat(10_000));

export const UPLOAD_KEY = 'media/upload-1';

const deployment = {
  chainId: 7,
  genesisHash: `0x${'1'.repeat(64)}`,
  contractAddress: account(9),
} as const;

/** A place to restore into. */
export interface EmptyPlace {
  readonly pool: Pool;
  readonly files: Disk;
}

/** A small deployment, and folders for its backups. */
export class BackupFixture {
  readonly pool: Pool;
  readonly files: Disk;
  readonly #databases: TestDatabase[] = [];
  readonly #pools: Pool[] = [];

  private constructor(
    readonly folder: string,
    database: TestDatabase,
  ) {
    this.pool = openPool(database.url, { max: 3 });
    this.files = openFolder(join(folder, 'data'));
    this.#databases.push(database);
    this.#pools.push(this.pool);
  }

  static async open(): Promise<BackupFixture> {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-backup-fixture-'));
    const fixture = new BackupFixture(folder, await createTestDatabase());
    await fixture.#fill();
    return fixture;
  }

  async #fill(): Promise<void> {
    const { chainId, genesisHash, contractAddress } = deployment;
    const sha256 = createHash('sha256').update(UPLOAD).digest('hex');
    await this.files.put(UPLOAD_KEY, UPLOAD);
    await this.pool`
      insert into ledger.deployment (chain_id, genesis_hash, contract_address)
      values (${chainId}, ${genesisHash}, ${contractAddress})`;
    await this.pool`
      insert into commerce.merchant (id, address, slug, name)
      values ('m-1', ${account(7)}, 'shop', ${SHOP})`;
    await this.pool`
      insert into commerce.asset (id, merchant_id, kind, key, size, sha256, content_type, extension, width, height)
      values ('upload-1', 'm-1', 'image', ${UPLOAD_KEY}, ${UPLOAD.length}, ${sha256}, 'image/png', 'png', 1, 1)`;
  }

  async close(): Promise<void> {
    for (const pool of this.#pools) await pool.end();
    for (const database of this.#databases) await database.drop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Makes a backup in a folder of the fixture. */
  async backup(
    target: string,
    encryption: Encryption | undefined,
    keep?: number,
  ): Promise<BackupReport> {
    return await createBackup({
      pool: this.pool,
      files: this.files,
      store: this.store(target),
      encryption,
      keccak256: await openKeccak(),
      version: '0.0.9',
      withLedger: false,
      keep: keep === undefined ? undefined : { newest: keep, days: undefined },
      onProgress: () => {},
    });
  }

  store(target: string): FolderStore {
    return new FolderStore(this.path(target));
  }

  path(...names: readonly string[]): string {
    return join(this.folder, ...names);
  }

  /** Replaces a target by a copy of another one. */
  async copy(from: string, to: string): Promise<void> {
    await rm(this.path(to), { recursive: true, force: true });
    await cp(this.path(from), this.path(to), { recursive: true });
  }

  async emptyPlace(name: string): Promise<EmptyPlace> {
    const database = await createTestDatabase({ empty: true });
    const pool = openPool(database.url, { max: 3 });
    this.#databases.push(database);
    this.#pools.push(pool);
    const files = openFolder(this.path(name));
    return { pool, files };
  }

  /** Restores the newest backup of a target. */
  async restore(store: BackupStore, place: EmptyPlace, options: OpenOptions): Promise<void> {
    const stored = await newestBackup(store);
    if (stored === undefined) throw new Error('there is no backup');
    await restoreBackup({
      ...place,
      backup: await openBackup(store, stored, options),
      deployment,
      chainHead: 1,
      resend: false,
      onProgress: () => {},
    });
  }
}

/** Opens backups that are not encrypted. */
export const unencrypted: OpenOptions = { identities: undefined, allowUnencrypted: true };

/** Opens the only backup of a target. */
export async function openIn(store: FolderStore, name: string, options = unencrypted) {
  return await openBackup(store, await readManifest(store, name), options);
}

/** A backup that is not encrypted, to be changed as an attacker would. */
export class WritableBackup {
  constructor(
    readonly target: string,
    readonly name: string,
  ) {}

  path(...names: readonly string[]): string {
    return join(this.target, 'backups', this.name, ...names);
  }

  /** Changes the manifest, or replaces it by the one that is returned. */
  async edit(change: (manifest: Manifest) => unknown): Promise<void> {
    const manifest = JSON.parse(await readFile(this.path('manifest.json'), 'utf8'));
    const changed = Object(change(manifest));
    const written = 'format' in changed ? changed : manifest;
    await writeFile(this.path('manifest.json'), JSON.stringify(written));
  }

  /** Writes a part, with a manifest that has its size and hash. */
  async replace(partOf: (manifest: Manifest) => Part | undefined, bytes: Buffer): Promise<void> {
    await this.edit((manifest) => {
      const part = partOf(manifest);
      if (part === undefined) throw new Error('there is no such part');
      part.size = bytes.length;
      part.sha256 = createHash('sha256').update(bytes).digest('hex');
    });
    const manifest: Manifest = JSON.parse(await readFile(this.path('manifest.json'), 'utf8'));
    await writeFile(join(this.target, partOf(manifest)?.key ?? ''), bytes);
  }

  async replaceFileList(lines: string): Promise<void> {
    await this.replace(({ files }) => files.parts[0], gzipSync(lines));
  }
}

/** A table of a manifest. */
export function tableOf({ tables }: Manifest, name = 'commerce.merchant') {
  const table = tables.find((one) => one.name === name);
  if (table === undefined) throw new Error(`the backup has no ${name}`);
  return table;
}
