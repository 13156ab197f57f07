import type { Context } from 'hono';
import type { Method } from '../../contract/define.ts';
import type { AppEnv } from '../context.ts';
import { HttpError, invalidField } from '../errors.ts';
import { readFormFile } from '../files/read-form.ts';
import { decodeInput } from './decode.ts';

/**
 * Reads the input of a request as its method describes it (docs/reference/api.md#how-a-call-becomes-a-request).
 * @throws {HttpError} VALIDATION_FAILED naming each field that is wrong; for a method with an idempotency
 * field, also the header `idempotency-key` if it is not that field's value.
 * @throws {HttpError} UNSUPPORTED_MEDIA_TYPE if the body is of another type than the method reads.
 * @throws {HttpError} PAYLOAD_TOO_LARGE if a file has more than 10 MiB.
 */
export async function readInput(c: Context<AppEnv>, method: Method): Promise<unknown> {
  const input = decodeInput(method, {
    params: c.req.param(),
    query: searchOf(c.req.url),
    ...(await readBody(c, method)),
  });
  requireSameKey(method, input, c.req.header('idempotency-key'));
  return input;
}

/** Fields of the query of a URL. Most have none, and to parse one takes as long as to decode the rest. */
function searchOf(url: string): URLSearchParams {
  const at = url.indexOf('?');
  return new URLSearchParams(at < 0 ? '' : url.slice(at + 1));
}

async function readBody(
  c: Context<AppEnv>,
  { method, input }: Method,
): Promise<{ body?: unknown; file?: Blob }> {
  if (method === 'GET') return {};
  if (input.multipart) {
    requireType(c, 'multipart/form-data');
    return { file: await readFormFile(c) };
  }
  if (input.body) requireType(c, 'application/json');
  const text = await c.req.text();
  // A method without fields may be sent nothing, or an empty object.
  if (text === '' && !input.body) return {};
  requireType(c, 'application/json');
  return { body: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidField('', 'the body is not JSON');
  }
}

/** Requires the idempotency key as a header too: a proxy sees the header, and the method its field. */
function requireSameKey(method: Method, input: unknown, header: string | undefined): void {
  const { idempotencyField: field } = method;
  if (field === undefined) return;
  const fields = new Map(Object.entries(input ?? {}));
  if (header !== undefined && header === fields.get(field)) return;
  const message = `must be sent as a header, with the value of ${field}`;
  throw invalidField('idempotency-key', message);
}

function requireType(c: Context<AppEnv>, mediaType: string): void {
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== mediaType)
    throw new HttpError('UNSUPPORTED_MEDIA_TYPE', `The body must be ${mediaType}.`);
}
