import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { BackupError, type Part } from './manifest.ts';
import { type BackupStore, openPrivateFile } from './store.ts';

/** Bytes of a part: object storage limits the size of one upload. */
const PART_BYTES = 1 << 30;

/**
 * Stores a stream, compressed, in parts of a GiB.
 * @param scratch folder of `openScratch`.
 * @param key key of the parts, to which `.<n>.gz` is added.
 * @returns the parts, and the number of lines of the stream.
 */
export async function storeLines(
  { store, scratch }: { readonly store: BackupStore; readonly scratch: string },
  key: string,
  lines: Readable,
): Promise<{ parts: Part[]; rows: number }> {
  const parts: Part[] = [];
  let rows = 0;
  let part = await newPart(scratch);

  async function storePart(): Promise<void> {
    const { path, file, hash, size } = part;
    await file.close();
    const stored = { key: `${key}.${parts.length}.gz`, size, sha256: hash.digest('hex') };
    await store.put(stored.key, path);
    parts.push(stored);
  }

  try {
    await pipeline(
      lines,
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          rows += linesIn(chunk);
          yield chunk;
        }
      },
      createGzip(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          if (part.size > 0 && part.size + chunk.length > PART_BYTES) {
            await storePart();
            part = await newPart(scratch);
          }
          part.hash.update(chunk);
          part.size += chunk.length;
          await part.file.appendFile(chunk);
        }
      },
    );
    await storePart();
  } finally {
    await part.file.close();
  }
  return { parts, rows };
}

async function newPart(scratch: string) {
  const { path, file } = await openPrivateFile(scratch);
  return { path, file, hash: createHash('sha256'), size: 0 };
}

function linesIn(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}

/** The stream that was stored in parts. */
export function readLines(store: BackupStore, parts: readonly Part[]): Readable {
  const gunzip = createGunzip();
  // An error of the source ends the result, where the reader sees it.
  pipeline(Readable.from(bytesOf(store, parts)), gunzip).catch((error) => gunzip.destroy(error));
  return gunzip;
}

async function* bytesOf(store: BackupStore, parts: readonly Part[]): AsyncGenerator<Buffer> {
  for (const { key } of parts) yield* await store.read(key);
}

/** Number of lines that parts hold. */
export async function countLines(store: BackupStore, parts: readonly Part[]): Promise<number> {
  let rows = 0;
  for await (const chunk of readLines(store, parts)) rows += linesIn(chunk);
  return rows;
}

/** Lines of parts, each without its end. */
export async function* eachLine(
  store: BackupStore,
  parts: readonly Part[],
): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of readLines(store, parts).setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/**
 * Reads a file of a backup to its end.
 * @throws {BackupError} if it is missing, or its bytes are others than those that were stored.
 */
export async function checkPart(store: BackupStore, { key, size, sha256 }: Part): Promise<void> {
  if ((await store.size(key)) === undefined) throw new BackupError(`${key} is missing.`);
  const hash = createHash('sha256');
  let read = 0;
  for await (const chunk of await store.read(key)) {
    hash.update(chunk);
    read += chunk.length;
  }
  if (read !== size) throw new BackupError(`${key} has ${read} bytes instead of ${size}.`);
  if (hash.digest('hex') !== sha256) throw new BackupError(`${key} is damaged: its hash differs.`);
}
