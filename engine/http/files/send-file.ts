import { once } from 'node:events';
import { OutgoingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import { ConnectionLimit } from '../connection-limit.ts';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { networkAddress } from '../network-address.ts';
import { DOWNLOAD_LIMITS, type DownloadLimits } from './download-limits.ts';

/** A file in the storage, and the headers that it is sent with. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The error to throw if the storage has no such file. */
  readonly missing: () => Error;
}

/** Sends stored files to readers, a part at a time, to a limited number of readers. */
export class FileSender {
  readonly #deps: Pick<AppDeps, 'files' | 'trustedProxies'>;
  readonly #limits: DownloadLimits;
  readonly #connections: ConnectionLimit;

  constructor(deps: Pick<AppDeps, 'files' | 'trustedProxies' | 'downloadLimits'>) {
    this.#deps = deps;
    this.#limits = { ...DOWNLOAD_LIMITS, ...deps.downloadLimits };
    this.#connections = new ConnectionLimit(this.#limits, 'downloads');
  }

  /** Files that are on their way to readers. */
  get open(): number {
    return this.#connections.count;
  }

  /**
   * Answers with a file, read from the storage as fast as the reader takes it. HEAD gets the headers
   * alone, and reads nothing. Ranges are not served: the storage cannot read a part of a file.
   * @throws {TooManyAtOnceError} if too many files are on their way, in total or to that address.
   */
  async send(c: Context<AppEnv>, { key, size, headers, missing }: StoredFile): Promise<Response> {
    const all = { ...headers, 'content-length': String(size), 'accept-ranges': 'none' };
    // Hono runs the handler of GET for HEAD, and drops the body.
    if (c.req.method === 'HEAD') return c.body(null, 200, all);
    const release = this.#connections.take(networkAddress(c, this.#deps.trustedProxies));
    const file = await this.#open(key).catch((error: unknown) => {
      release();
      throw isMissing(error) ? missing() : error;
    });
    const { baseMs, minBytesPerSecond } = this.#limits;
    const deadline = setTimeout(
      () => disconnect(c.env, file),
      baseMs + (size / minBytesPerSecond) * 1_000,
    );
    deadline.unref();
    file.once('close', () => {
      clearTimeout(deadline);
      release();
    });
    // The reader may have gone away meanwhile, and then nobody reads the body.
    if (c.req.raw.signal.aborted) file.destroy();
    // Node's own type of the same web stream.
    return c.body(Readable.toWeb(file) as ReadableStream<Uint8Array>, 200, all);
  }

  /** Opens the file and waits for its first bytes: afterwards it is too late for another status. */
  async #open(key: string): Promise<Readable> {
    const file = await this.#deps.files.getStream(key);
    try {
      await once(file, 'readable');
    } catch (error) {
      file.destroy();
      throw error;
    }
    // An error half-way ends the answer, which the body's own reader sees.
    file.on('error', () => {});
    return file;
  }
}

/** Ends a connection half-way through an answer: its end is the only way to say that bytes are missing. */
function disconnect(env: unknown, file: Readable): void {
  const outgoing: unknown =
    typeof env === 'object' && env !== null ? Reflect.get(env, 'outgoing') : undefined;
  if (outgoing instanceof OutgoingMessage) outgoing.destroy();
  // The end of the connection ends the file, too; without a connection there is only the file.
  else file.destroy();
}

/** True if the storage has no such file: on a disk, or in a bucket. */
function isMissing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || error.name === 'NoSuchKey' || isMissing(error.cause);
}
