import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'hono';
import type { Issue } from '../../contract/envelope.ts';
import type { AppEnv } from '../context.ts';
import { PayloadTooLargeError, ValidationError } from '../errors.ts';

/** Bytes of an uploaded file that are taken. */
export const FILE_BYTES_MOST = 10 * 1024 * 1024;

/** Bytes of a whole form: the file, and what its envelope may add. */
export const FORM_BYTES_MOST = FILE_BYTES_MOST + 16 * 1024;

/** A form has one part. A few more are read, so that the error can name them. */
const limits = {
  parts: 4,
  files: 4,
  fields: 4,
  fieldSize: 1_024,
  fileSize: FILE_BYTES_MOST,
  headerPairs: 16,
  headerSize: 4_096,
};

/**
 * Reads the file of a form, the field `file`, as it arrives. It stops as soon as the form has too many
 * parts or bytes, or the time of the request is over: the rest is not read.
 * @throws {ValidationError} if the body is not a form, or has other fields, or not one file.
 * @throws {PayloadTooLargeError} if the file has more than 10 MiB, or the form 16 KiB more than that.
 */
export async function readFormFile(c: Context<AppEnv>): Promise<Blob> {
  if (Number(c.req.header('content-length') ?? 0) > FORM_BYTES_MOST) throw formTooLarge();
  const form = new Form(c.req.header('content-type') ?? '');
  const reader = c.req.raw.body?.getReader();
  const signal = c.get('deadline')?.signal;
  const stop = () => void reader?.cancel().catch(() => {});
  signal?.addEventListener('abort', stop, { once: true });
  let bytes = 0;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const { done, value } = (await reader?.read()) ?? { done: true };
      signal?.throwIfAborted();
      if (done || value === undefined) return await form.end();
      bytes += value.length;
      if (bytes > FORM_BYTES_MOST) throw formTooLarge();
      await form.write(value);
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** The parts of a form that were read so far. */
class Form {
  readonly #parser: BusboyInstance;
  readonly #names = new Set<string>();
  readonly #chunks: Uint8Array[] = [];
  readonly #failed: Promise<void>;
  #files = 0;
  #failure: Error | undefined;

  /** @throws {ValidationError} if the type names no boundary. */
  constructor(contentType: string) {
    try {
      const isPartAFile = (_name?: string, _type?: string, fileName?: string) =>
        fileName !== undefined;
      this.#parser = new Busboy({ headers: { 'content-type': contentType }, limits, isPartAFile });
    } catch {
      throw notAForm();
    }
    let failed = () => {};
    this.#failed = new Promise<void>((resolve) => {
      failed = resolve;
    });
    const fail = (error: Error) => {
      this.#failure ??= error;
      failed();
    };
    this.#parser.on('error', () => fail(notAForm()));
    for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
      this.#parser.on(event, () => fail(invalid('', 'the form has too many parts')));
    }
    this.#parser.on('field', (name) => this.#names.add(name ?? ''));
    this.#parser.on('file', (name, stream) => {
      stream.on('error', () => fail(notAForm()));
      stream.on('limit', () => {
        fail(new PayloadTooLargeError(`A file may have at most ${FILE_BYTES_MOST} bytes.`));
      });
      if (name === 'file') this.#files += 1;
      else this.#names.add(name ?? '');
      if (name !== 'file' || this.#files > 1) stream.resume();
      else stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    });
  }

  async write(chunk: Uint8Array): Promise<void> {
    const written = new Promise<void>((resolve) => this.#parser.write(chunk, () => resolve()));
    await Promise.race([written, this.#failed]);
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** @returns the file, once all of the form was read. */
  async end(): Promise<Blob> {
    const finished = new Promise<void>((resolve) => this.#parser.once('finish', resolve));
    this.#parser.end();
    await Promise.race([finished, this.#failed]);
    if (this.#failure !== undefined) throw this.#failure;
    const issues: Issue[] = [...this.#names]
      .filter((name) => name !== 'file')
      .map((path) => ({ path, message: 'is not a field of this method' }));
    if (this.#files > 1) issues.push({ path: 'file', message: 'is given twice' });
    if (this.#files === 0 || this.#names.has('file')) {
      issues.push({ path: 'file', message: 'must be a file' });
    }
    if (issues.length > 0) throw new ValidationError(issues);
    return new Blob(this.#chunks.splice(0));
  }
}

function formTooLarge(): PayloadTooLargeError {
  return new PayloadTooLargeError(`A body may have at most ${FORM_BYTES_MOST} bytes.`);
}

function notAForm(): ValidationError {
  return invalid('', 'the body is not a form');
}

function invalid(path: string, message: string): ValidationError {
  return new ValidationError([{ path, message }]);
}
