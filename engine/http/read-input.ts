import type { Context } from 'hono';
import type { Method } from '../contract/define.ts';
import type { Issue } from '../contract/envelope.ts';
import type { AppEnv } from './context.ts';
import { decodeInput } from './decode.ts';
import { PayloadTooLargeError, UnsupportedMediaTypeError, ValidationError } from './errors.ts';

/** Bytes of an uploaded file that are taken. */
export const FILE_BYTES_MOST = 10 * 1024 * 1024;

/**
 * Bytes of a whole form: the file, and what its envelope may add. The application's body limit
 * must let as many through where the content type is multipart.
 */
export const FORM_BYTES_MOST = FILE_BYTES_MOST + 16 * 1024;

/**
 * Reads the input of a request as its method describes it (specification, «Request mapping rules»).
 * @throws {ValidationError} naming each field that is wrong; for a method with an idempotency
 * field, also the header `idempotency-key` where it is not that field's value.
 * @throws {UnsupportedMediaTypeError} where the body is of another type than the method reads.
 * @throws {PayloadTooLargeError} where a file has more than 10 MiB.
 */
export async function readInput(c: Context<AppEnv>, method: Method): Promise<unknown> {
  const input = decodeInput(method, {
    params: c.req.param(),
    query: new URL(c.req.url).searchParams,
    ...(await readBody(c, method)),
  });
  requireSameKey(method, input, c.req.header('idempotency-key'));
  return input;
}

async function readBody(
  c: Context<AppEnv>,
  { method, input }: Method,
): Promise<{ body?: unknown; file?: Blob }> {
  if (method === 'GET') return {};
  if (input?.multipart) return { file: await readFile(c) };
  if (input?.body) requireType(c, 'application/json');
  const text = await c.req.text();
  // A method without fields may be sent nothing, or an empty object.
  if (text === '' && !input?.body) return {};
  requireType(c, 'application/json');
  return { body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new ValidationError([{ path: '', message: 'the body is not JSON' }]);
  }
}

async function readFile(c: Context<AppEnv>): Promise<Blob> {
  requireType(c, 'multipart/form-data');
  const form = await c.req.formData().catch(() => {
    throw new ValidationError([{ path: '', message: 'the body is not a form' }]);
  });
  const files = form.getAll('file');
  const issues: Issue[] = [...new Set(form.keys())]
    .filter((name) => name !== 'file')
    .map((path) => ({ path, message: 'is not a field of this method' }));
  const file = files[0];
  if (files.length > 1) issues.push({ path: 'file', message: 'is given twice' });
  if (file === undefined || typeof file === 'string') {
    issues.push({ path: 'file', message: 'must be a file' });
  }
  if (issues.length > 0 || file === undefined || typeof file === 'string') {
    throw new ValidationError(issues);
  }
  if (file.size > FILE_BYTES_MOST) {
    throw new PayloadTooLargeError(`A file may have at most ${FILE_BYTES_MOST} bytes.`);
  }
  return file;
}

/** The idempotency key travels twice: a proxy sees the header, the method its field. */
function requireSameKey(method: Method, input: unknown, header: string | undefined): void {
  const { idempotencyField: field } = method;
  if (field === undefined) return;
  const fields = new Map(Object.entries(input ?? {}));
  if (header !== undefined && header === fields.get(field)) return;
  const message = `must be sent as a header, with the value of ${field}`;
  throw new ValidationError([{ path: 'idempotency-key', message }]);
}

function requireType(c: Context<AppEnv>, wanted: string): void {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== wanted) throw new UnsupportedMediaTypeError(`The body must be ${wanted}.`);
}
