import { randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  type FileHandle,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Disk } from 'flydrive';
import { BackupError } from './manifest.ts';

/** Where backups are: a folder, or a prefix of a bucket. Keys are paths below it, with `/`. */
export interface BackupStore {
  /** Folder or URL, for messages. */
  readonly url: string;
  /** Makes a folder for files that `put` takes; only this account can read it. */
  openScratch(): Promise<string>;
  /** Removes scratch folders of processes that were killed. None may be running. */
  removeScratch(): Promise<void>;
  /** Stores a file of the scratch folder under a key: completely or not at all. The file is gone then. */
  put(key: string, path: string): Promise<void>;
  read(key: string): Promise<Readable>;
  /** Bytes; `undefined` if there is no such file. */
  size(key: string): Promise<number | undefined>;
  remove(key: string): Promise<void>;
  /** Keys that begin with a folder, in any order. */
  list(folder: string): AsyncIterable<string>;
}

/** A folder. A file is complete and on the disk before it has its name. */
export class FolderStore implements BackupStore {
  constructor(readonly url: string) {}

  async openScratch(): Promise<string> {
    await mkdir(this.url, { recursive: true, mode: 0o700 });
    return await mkdtemp(join(this.url, SCRATCH));
  }

  async put(key: string, path: string): Promise<void> {
    const target = join(this.url, key);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await syncToDisk(path);
    await rename(path, target);
    await syncToDisk(dirname(target));
  }

  async read(key: string): Promise<Readable> {
    // Opening a pipe would wait for a writer.
    const handle = await open(join(this.url, key), constants.O_RDONLY | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle.createReadStream();
    await handle.close();
    throw new BackupError(`${key} is not a file.`);
  }

  async size(key: string): Promise<number | undefined> {
    return await stat(join(this.url, key)).then(({ size }) => size, ignoreMissing);
  }

  async remove(key: string): Promise<void> {
    await rm(join(this.url, key), { force: true });
    // Folders that are empty now go too; one that is not ends this.
    for (let folder = dirname(key); folder !== '.'; folder = dirname(folder)) {
      const isRemoved = await rmdir(join(this.url, folder)).then(
        () => true,
        () => false,
      );
      if (!isRemoved) return;
    }
  }

  async *list(folder: string): AsyncGenerator<string> {
    const entries = await readdir(join(this.url, folder), { withFileTypes: true }).catch(
      (error: unknown) => ignoreMissing(error) ?? [],
    );
    for (const entry of entries) {
      const key = `${folder}/${entry.name}`;
      if (entry.isDirectory()) yield* this.list(key);
      else yield key;
    }
  }

  async removeScratch(): Promise<void> {
    for (const name of await readdir(this.url).catch(() => [])) {
      if (name.startsWith(SCRATCH))
        await rm(join(this.url, name), { recursive: true, force: true });
    }
  }
}

const SCRATCH = '.tmp-';

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function ignoreMissing(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
  throw error;
}

/** A prefix of a bucket. An object has its name only when all of it was received. */
export class BucketStore implements BackupStore {
  readonly #disk: Disk;
  readonly #prefix: string;

  /** @param prefix without slashes at its ends; can be empty. */
  constructor(
    readonly url: string,
    disk: Disk,
    prefix: string,
  ) {
    this.#disk = disk;
    this.#prefix = prefix === '' ? '' : `${prefix}/`;
  }

  async openScratch(): Promise<string> {
    return await mkdtemp(join(tmpdir(), 'tributary-backup-'));
  }

  /** The system clears its folder of temporary files. */
  async removeScratch(): Promise<void> {}

  async put(key: string, path: string): Promise<void> {
    const { size } = await stat(path);
    await this.#disk.putStream(this.#prefix + key, createReadStream(path), { contentLength: size });
    await rm(path);
  }

  async read(key: string): Promise<Readable> {
    return await this.#disk.getStream(this.#prefix + key);
  }

  async size(key: string): Promise<number | undefined> {
    if (!(await this.#disk.exists(this.#prefix + key))) return undefined;
    return (await this.#disk.getMetaData(this.#prefix + key)).contentLength;
  }

  async remove(key: string): Promise<void> {
    await this.#disk.delete(this.#prefix + key);
  }

  async *list(folder: string): AsyncGenerator<string> {
    let page: string | undefined;
    do {
      const options = { recursive: true, ...(page === undefined ? {} : { paginationToken: page }) };
      const found = await this.#disk.listAll(`${this.#prefix}${folder}/`, options);
      for (const one of found.objects) {
        if (one.isFile) yield one.key.slice(this.#prefix.length);
      }
      page = found.paginationToken;
    } while (page !== undefined);
  }
}

/** Opens a new file in a scratch folder that only this account can read. */
export async function openPrivateFile(
  scratch: string,
): Promise<{ path: string; file: FileHandle }> {
  const path = join(scratch, randomUUID());
  return { path, file: await open(path, 'wx', 0o600) };
}
