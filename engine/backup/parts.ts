import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { Encryption, Identities } from './encryption.ts';
import { limits, maxEncryptedBytes } from './limits.ts';
import { BackupError, type Part, type StoredFile } from './manifest.ts';
import { type BackupStore, openPrivateFile } from './store.ts';

/** Where new parts go. */
export interface PartTarget {
  readonly store: BackupStore;
  /** Folder of `openScratch`. */
  readonly scratch: string;
  /** `undefined` to store them readable. */
  readonly encryption: Encryption | undefined;
}

/** Where parts are read from. */
export interface PartSource {
  readonly store: BackupStore;
  /** Opens encrypted parts; `undefined` if they are not encrypted. */
  readonly identities: Identities | undefined;
}

/** A file in the scratch folder, ready to be stored. */
export interface StagedFile {
  readonly path: string;
  /** Bytes, encrypted if they are. */
  readonly size: number;
  readonly sha256: string;
}

/** Limits of the lines of a stream. */
interface LineLimits {
  /** Bytes of one line. */
  readonly lineBytes: number;
  /** Number of lines; default no limit. */
  readonly rows?: number;
}

/**
 * Writes a stream to a new file in the scratch folder. Only encrypted bytes reach the disk if there is an encryption.
 */
export async function stage(
  { scratch, encryption }: Pick<PartTarget, 'scratch' | 'encryption'>,
  source: AsyncIterable<Uint8Array>,
): Promise<StagedFile> {
  const { path, file } = await openPrivateFile(scratch);
  const meter = new ByteMeter();
  try {
    const bytes = encryption === undefined ? source : await encryption.encrypt(source);
    for await (const chunk of bytes) {
      meter.add(chunk);
      await file.appendFile(chunk);
    }
  } finally {
    await file.close();
  }
  return { path, size: meter.size, sha256: meter.sha256() };
}

/**
 * Stores a stream, compressed, in parts of a GiB.
 * @param keyOf key of each part.
 * @returns the parts, and the number of lines of the stream.
 * @throws {BackupError} if the stream exceeds a limit, with which it could not be restored.
 */
export async function storeLines(
  target: PartTarget,
  keyOf: (index: number) => string,
  source: Readable,
  lineBytes: number,
): Promise<{ parts: Part[]; rows: number }> {
  const lines = new LineMeter(keyOf(0), { lineBytes });
  const gzip = createGzip();
  // An error of the source ends the result, where the loop sees it.
  pipeline(source, metered(lines), gzip).catch((error) => gzip.destroy(error));
  const compressed: AsyncIterator<Buffer> = gzip[Symbol.asyncIterator]();
  const parts: Part[] = [];
  let next = await compressed.next();

  async function* onePart(): AsyncGenerator<Buffer> {
    for (let size = 0; next.done !== true; next = await compressed.next()) {
      size += next.value.length;
      if (size > limits.partBytes) return;
      yield next.value;
    }
  }

  try {
    while (next.done !== true) {
      const { path, ...staged } = await stage(target, onePart());
      const key = keyOf(parts.length);
      await target.store.put(key, path);
      parts.push({ key, ...staged });
    }
  } finally {
    await compressed.return?.();
  }
  lines.end(parts);
  return { parts, rows: lines.rows };
}

/** Counts and hashes bytes. */
class ByteMeter {
  readonly #hash = createHash('sha256');
  size = 0;

  add(chunk: Uint8Array): void {
    this.#hash.update(chunk);
    this.size += chunk.length;
  }

  sha256(): string {
    return this.#hash.digest('hex');
  }
}

/** Counts the lines of a stream, and fails where it exceeds a limit. */
class LineMeter {
  readonly #key: string;
  readonly #limits: LineLimits;
  /** Bytes of the line that has not ended yet. */
  #open = 0;
  #bytes = 0;
  rows = 0;

  constructor(key: string, lineLimits: LineLimits) {
    this.#key = key;
    this.#limits = lineLimits;
  }

  add(chunk: Uint8Array): void {
    const { lineBytes, rows = Number.POSITIVE_INFINITY } = this.#limits;
    this.#bytes += chunk.length;
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#take(end - from, lineBytes);
      this.#open = 0;
      this.rows += 1;
      from = end + 1;
    }
    this.#take(chunk.length - from, lineBytes);
    if (this.rows > rows) {
      throw new BackupError(`${this.#key} and its other parts have more than ${rows} lines.`);
    }
  }

  #take(bytes: number, lineBytes: number): void {
    this.#open += bytes;
    if (this.#open <= lineBytes) return;
    throw new BackupError(`${this.#key} has a line of more than ${lineBytes} bytes.`);
  }

  /** @throws {BackupError} if the lines are too large for the bytes that the parts have. */
  requireExpansion(parts: readonly Part[]): void {
    const stored = parts.reduce((sum, { size }) => sum + size, 0);
    if (this.#bytes <= stored * limits.expansion + limits.expansionFreeBytes) return;
    throw new BackupError(
      `${this.#key} and its other parts are more than ${limits.expansion} times as large when they are decompressed.`,
    );
  }

  /** @throws {BackupError} if the last line has no end, or the lines are too large for the bytes of their parts. */
  end(parts: readonly Part[]): void {
    this.requireExpansion(parts);
    if (this.#open > 0) throw new BackupError(`${this.#key}: the last line has no end.`);
  }
}

function metered(lines: LineMeter) {
  return async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      lines.add(chunk);
      yield chunk;
    }
  };
}

/**
 * The stream that was stored in parts. It fails if a part is not what the manifest says, or a limit is exceeded, after
 * the reader may have got some of it: what is done with it must be undone then.
 */
export function readLines(
  source: PartSource,
  parts: readonly Part[],
  lineLimits: LineLimits,
): Readable {
  return Readable.from(linesOf(source, parts, new LineMeter(parts[0]?.key ?? '', lineLimits)), {
    objectMode: false,
  });
}

async function* linesOf(
  source: PartSource,
  parts: readonly Part[],
  lines: LineMeter,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  // An error of the source ends the result, where the reader sees it.
  pipeline(Readable.from(bytesOf(source, parts)), gunzip).catch((error) => gunzip.destroy(error));
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      lines.add(chunk);
      lines.requireExpansion(parts);
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && /^Z_/.test(String(error.code)))) throw error;
    throw new BackupError(`${parts[0]?.key} is not gzip: ${error.message}.`, { cause: error });
  }
  lines.end(parts);
}

async function* bytesOf(source: PartSource, parts: readonly Part[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield* readPart(source, part);
}

/** Number of lines that parts hold. */
export async function countLines(
  source: PartSource,
  parts: readonly Part[],
  rows: number,
): Promise<number> {
  const lines = new LineMeter(parts[0]?.key ?? '', { lineBytes: limits.rowBytes, rows });
  for await (const _ of linesOf(source, parts, lines));
  return lines.rows;
}

/** Lines of parts, each without its end. */
export async function* eachLine(
  source: PartSource,
  parts: readonly Part[],
  rows: number,
): AsyncGenerator<string> {
  let rest = '';
  const lineLimits = { lineBytes: limits.listLineBytes, rows };
  for await (const chunk of readLines(source, parts, lineLimits).setEncoding('utf8')) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

/** Plain bytes of a part, whose stored bytes are compared with its size and hash. */
export function readPart(
  { store, identities }: PartSource,
  part: Part,
): AsyncGenerator<Uint8Array> {
  const stored = storedBytes(store, part);
  return identities === undefined ? stored : identities.decrypt(part.key, stored);
}

/**
 * Reads a file of a backup to its end, as it is stored.
 * @throws {BackupError} if it is missing, or its bytes are others than those that were stored.
 */
export async function checkPart(store: BackupStore, part: Part): Promise<void> {
  for await (const _ of storedBytes(store, part));
}

/**
 * Content of a stored file.
 * @throws {BackupError} at the end, if it is not the one that the list of files names.
 */
export function readContent(
  { store, identities }: PartSource,
  { key, file }: { readonly key: string; readonly file: StoredFile },
): AsyncGenerator<Uint8Array> {
  const { size, sha256 } = file;
  if (identities === undefined) return storedBytes(store, { key, size, sha256 });
  const encrypted = atMost(key, maxEncryptedBytes(size), existing(store, key));
  return compared({ key, size, sha256 }, identities.decrypt(key, encrypted));
}

/** Stored bytes of a part, which are compared with its size and hash. */
function storedBytes(store: BackupStore, part: Part): AsyncGenerator<Uint8Array> {
  return compared(part, existing(store, part.key));
}

async function* compared(
  { key, size, sha256 }: Part,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  const meter = new ByteMeter();
  for await (const chunk of source) {
    meter.add(chunk);
    if (meter.size > size) throw new BackupError(`${key} has more than ${size} bytes.`);
    yield chunk;
  }
  if (meter.size !== size) {
    throw new BackupError(`${key} has ${meter.size} bytes instead of ${size}.`);
  }
  if (meter.sha256() !== sha256) throw new BackupError(`${key} is damaged: its hash differs.`);
}

/** Bytes of a file of a target, of which no more than a number are read. */
export async function* atMost(
  key: string,
  bytes: number,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  for await (const chunk of source) {
    read += chunk.length;
    if (read > bytes) throw new BackupError(`${key} has more than ${bytes} bytes.`);
    yield chunk;
  }
}

/** Bytes of a file of a target. @throws {BackupError} if it is missing. */
export async function* existing(store: BackupStore, key: string): AsyncGenerator<Uint8Array> {
  if ((await store.size(key)) === undefined) throw new BackupError(`${key} is missing.`);
  yield* (await store.read(key)) as AsyncIterable<Buffer>;
}
