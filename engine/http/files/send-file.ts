import { once } from 'node:events';
import { OutgoingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { Context } from 'hono';
import type { AppEnv } from '../context.ts';
import type { AppDeps } from '../deps.ts';
import { ConnectionLimit } from '../limits/connection-limit.ts';
import { networkAddress } from '../network-address.ts';
import { DOWNLOAD_LIMITS, type DownloadLimits } from './download-limits.ts';

/** File in the storage, with the headers of its response. */
export interface StoredFile {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The error to throw if the storage has no such file. */
  readonly missing: () => Error;
}

/** Streams stored files to a limited number of readers. */
export class FileSender {
  readonly #deps: Pick<AppDeps, 'files' | 'trustedProxies'>;
  readonly #limits: DownloadLimits;
  readonly #connections: ConnectionLimit;

  constructor(deps: Pick<AppDeps, 'files' | 'trustedProxies' | 'downloadLimits'>) {
    this.#deps = deps;
    this.#limits = { ...DOWNLOAD_LIMITS, ...deps.downloadLimits };
    this.#connections = new ConnectionLimit(this.#limits, 'downloads');
  }

  /** Number of files that are being sent. */
  get open(): number {
    return this.#connections.count;
  }

  /**
   * Response with a file, which is read from the storage as fast as the client accepts it. HEAD gets only
   * the headers. Ranges are not supported, because the storage cannot read a part of a file.
   * @throws {HttpError} RATE_LIMITED if too many files are being sent, in total or to that address.
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
    // If the client disconnected meanwhile, the body is never read.
    if (c.req.raw.signal.aborted) file.destroy();
    // Node's own type of the same web stream.
    return c.body(Readable.toWeb(file) as ReadableStream<Uint8Array>, 200, all);
  }

  /** Opens the file and waits for its first bytes: after that, the status cannot change. */
  async #open(key: string): Promise<Readable> {
    const file = await this.#deps.files.getStream(key);
    try {
      await once(file, 'readable');
    } catch (error) {
      file.destroy();
      throw error;
    }
    // A later error ends the response, which the reader of the body sees.
    file.on('error', () => {});
    return file;
  }
}

/** Closes a connection in the middle of a response, which is the only way to show that bytes are missing. */
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
