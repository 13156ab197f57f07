import type { z } from 'zod';
import { acceptsIdempotencyKey, type CallableMethod } from '../../contract/define.ts';
import { failuresOf } from './failures.ts';
import { type JsonObject, schemaOf } from './schema.ts';

/** OpenAPI operation, with the fields that callers extend. */
type Operation = JsonObject & {
  readonly parameters: readonly JsonObject[];
  readonly responses: JsonObject;
};

/** OpenAPI operation of a method on one of its paths. */
export function operationOf(method: CallableMethod, params: z.ZodObject | undefined): Operation {
  const { name, summary, input } = method;
  const body = requestBodyOf(method);
  return {
    operationId: params === input.params ? name : `${name}.narrowed`,
    tags: [name.split('.')[0]],
    summary,
    description: descriptionOf(method),
    security: securityOf(method),
    'x-availability': method.availability,
    parameters: [
      ...(params ? fieldsOf(params).map(([field, schema]) => pathParameter(field, schema)) : []),
      ...(input.query ? fieldsOf(input.query).map(([field, s]) => queryParameter(field, s)) : []),
      ...idempotencyKeyOf(method),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: { 200: successOf(method.output), ...failuresOf(method) },
  };
}

function descriptionOf({ name, summary, access, availability }: CallableMethod): string {
  return [
    `\`${name}\`: ${summary}`,
    access === 'session' ? 'It needs a session.' : 'It is public.',
    ...(availability === 'designed' ? ['It is designed, and answers 501 to everybody.'] : []),
  ].join(' ');
}

/** Security requirements: a session cookie, and its CSRF token for a write. */
function securityOf({ access, method, readsSession }: CallableMethod): JsonObject[] {
  if (access === 'session') return [method === 'GET' ? { session: [] } : { session: [], csrf: [] }];
  return readsSession ? [{}, { session: [] }] : [];
}

function fieldsOf(schema: z.ZodObject): [string, z.ZodType][] {
  // `shape` is typed by zod's core; every schema of the contract is one of zod's own.
  return Object.entries(schema.shape) as [string, z.ZodType][];
}

function pathParameter(name: string, schema: z.ZodType): JsonObject {
  const json = schemaOf(schema, 'input');
  return { name, in: 'path', required: true, ...describedBy(json), schema: json };
}

/** Query parameter: arrays are comma-separated, objects are JSON (docs/api.md#how-a-call-becomes-a-request). */
function queryParameter(name: string, schema: z.ZodType): JsonObject {
  const json = schemaOf(schema, 'input');
  const head = { name, in: 'query', required: !schema.isOptional(), ...describedBy(json) };
  if (json.type === 'object') return { ...head, content: { 'application/json': { schema: json } } };
  const list = json.type === 'array' ? { style: 'form', explode: false } : {};
  return { ...head, ...list, schema: json };
}

function describedBy({ description }: JsonObject): JsonObject {
  return description === undefined ? {} : { description };
}

function idempotencyKeyOf(method: CallableMethod): JsonObject[] {
  const { idempotencyField: field } = method;
  if (field === undefined && !acceptsIdempotencyKey(method)) return [];
  const description =
    field === undefined
      ? 'A name that the client gives to this write: a repeated request gets the same response for a day, and does nothing.'
      : `The value of ${field}: the same key and body answer the first answer again.`;
  const schema = { type: 'string', maxLength: 200 };
  const required = field !== undefined;
  return [{ name: 'idempotency-key', in: 'header', required, description, schema }];
}

function requestBodyOf({ input }: CallableMethod): JsonObject | undefined {
  if (input.multipart) {
    const file = { type: 'string', format: 'binary', description: 'The file.' };
    const schema = {
      type: 'object',
      properties: { file },
      required: ['file'],
      additionalProperties: false,
    };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (input.body === undefined) return undefined;
  const schema = schemaOf(input.body, 'input');
  return { required: true, content: { 'application/json': { schema } } };
}

function successOf(output: z.ZodType): JsonObject {
  const schema = {
    type: 'object',
    properties: {
      data: schemaOf(output, 'output'),
      meta: { $ref: '#/components/schemas/Meta' },
    },
    required: ['data', 'meta'],
    additionalProperties: false,
  };
  return { description: 'Success.', content: { 'application/json': { schema } } };
}
