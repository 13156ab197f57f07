import { constants, crc32, deflateRawSync } from 'node:zlib';
import type { Context } from 'hono';
import { type CacheHeaders, cacheHeaders, namesTag } from './validators.ts';

/** Header of a gzip file without a name and a time, made on any system (RFC 1952, section 2.3). */
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/**
 * Text of a response that stays the same while the process runs: it is compressed and hashed once. A large
 * text would otherwise cost each request tens of milliseconds of the API's only thread, and a request of 100 bytes would
 * bring back a megabyte.
 */
export class StoredText {
  readonly #caching: CacheHeaders;
  readonly #plain: Buffer;
  /** The text as DEFLATE blocks that others can follow. */
  readonly #blocks: Buffer;
  readonly #crc: number;

  /**
   * @param text JSON, or the beginning of it: `respond` may be given an end.
   * @param tagged the part of it that the entity tag covers.
   */
  constructor(text: string, tagged = text) {
    this.#caching = cacheHeaders(tagged, {}, false);
    this.#plain = Buffer.from(text);
    this.#blocks = deflateRawSync(this.#plain, { level: 9, finishFlush: constants.Z_SYNC_FLUSH });
    this.#crc = crc32(this.#plain);
  }

  /** Answers with the text and an end of it, or that the client has it already (304). */
  respond(c: Context, end = ''): Response {
    for (const [name, value] of Object.entries(this.#caching)) c.header(name, value);
    c.header('vary', 'accept-encoding', { append: true });
    if (namesTag(c.req.header('if-none-match'), this.#caching.etag)) return c.body(null, 304);
    c.header('content-type', 'application/json');
    const tail = Buffer.from(end);
    if (!takesGzip(c.req.header('accept-encoding'))) {
      return c.body(Buffer.concat([this.#plain, tail]));
    }
    c.header('content-encoding', 'gzip');
    return c.body(this.#gzipped(tail));
  }

  #gzipped(tail: Buffer): Buffer<ArrayBuffer> {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(crc32(tail, this.#crc));
    trailer.writeUInt32LE((this.#plain.length + tail.length) % 2 ** 32, 4);
    return Buffer.concat([GZIP_HEADER, this.#blocks, deflateRawSync(tail), trailer]);
  }
}

/** True if a client takes gzip (RFC 9110, section 12.5.3). */
function takesGzip(header: string | undefined): boolean {
  const codings = (header ?? '').toLowerCase().split(',');
  const weights = new Map(
    codings.map((coding) => {
      const [name = '', ...parameters] = coding.split(';').map((part) => part.trim());
      const q = parameters.find((one) => one.startsWith('q='));
      return [name, q === undefined ? 1 : Number(q.slice(2))];
    }),
  );
  return (weights.get('gzip') ?? weights.get('*') ?? 0) > 0;
}
