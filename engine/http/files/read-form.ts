import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { Context } from 'hono';
import type { Issue } from '../../contract/envelope.ts';
import type { AppEnv } from '../context.ts';
import { HttpError, invalidField, invalidInput } from '../errors.ts';

/** Bytes of the largest file that is accepted. */
export const MAX_FILE_BYTES = 10 * 1024 * 1024;

/** Bytes of the largest form: the file and its envelope. */
export const MAX_FORM_BYTES = MAX_FILE_BYTES + 16 * 1024;

/** Limits of the parser. A form has one part; a few more are read, so that the error can name them. */
const limits = {
  parts: 4,
  files: 4,
  fields: 4,
  fieldSize: 1_024,
  fileSize: MAX_FILE_BYTES,
  headerPairs: 16,
  headerSize: 4_096,
};

/**
 * Reads the field `file` of a form while it arrives. It stops as soon as the form has too many parts or
 * bytes, or the time limit of the request passes; the rest is not read.
 * @throws {HttpError} VALIDATION_FAILED if the body is not a form, or has other fields, or not one file.
 * @throws {HttpError} PAYLOAD_TOO_LARGE if the file has more than 10 MiB, or the form 16 KiB more than that.
 */
export async function readFormFile(c: Context<AppEnv>): Promise<Blob> {
  if (Number(c.req.header('content-length') ?? 0) > MAX_FORM_BYTES) throw formTooLarge();
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
      if (bytes > MAX_FORM_BYTES) throw formTooLarge();
      await form.write(value);
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal?.removeEventListener('abort', stop);
  }
}

/** Parts of a form that were read so far. */
class Form {
  readonly #parser: BusboyInstance;
  readonly #names = new Set<string>();
  readonly #chunks: Uint8Array[] = [];
  readonly #failed: Promise<void>;
  #files = 0;
  #failure: Error | undefined;

  /** @throws {HttpError} VALIDATION_FAILED if the type names no boundary. */
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
        fail(
          new HttpError('PAYLOAD_TOO_LARGE', `A file may have at most ${MAX_FILE_BYTES} bytes.`),
        );
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
    if (issues.length > 0) throw invalidInput(issues);
    return new Blob(this.#chunks.splice(0));
  }
}

function formTooLarge(): HttpError {
  return new HttpError('PAYLOAD_TOO_LARGE', `A body may have at most ${MAX_FORM_BYTES} bytes.`);
}

function notAForm(): HttpError {
  return invalid('', 'the body is not a form');
}

function invalid(path: string, message: string): HttpError {
  return invalidField(path, message);
}
