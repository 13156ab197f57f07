import type { Context } from 'hono';
import type { Method } from '../contract/define.ts';
import type { AppEnv } from './context.ts';
import { decodeInput } from './decode.ts';
import { UnsupportedMediaTypeError, ValidationError } from './errors.ts';
import { readFormFile } from './files/read-form.ts';

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
  if (input?.multipart) {
    requireType(c, 'multipart/form-data');
    return { file: await readFormFile(c) };
  }
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
