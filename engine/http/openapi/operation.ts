import type { z } from 'zod';
import type { Method } from '../../contract/define.ts';
import { scopeOf } from '../../contract/scopes.ts';
import type { Example } from './examples.ts';
import { codesOf, failuresOf } from './failures.ts';
import { headersOf, notModifiedOf, successHeaders } from './headers.ts';
import type { JsonObject, SchemaSet } from './schema.ts';

/** OpenAPI operation, with the fields that callers extend. */
type Operation = JsonObject & {
  readonly parameters: readonly JsonObject[];
  readonly responses: JsonObject;
};

/** Parts of an operation that its method does not have. */
export interface OperationParts {
  /** Path placeholders of the path that the operation is for. */
  readonly params: z.ZodObject | undefined;
  /** Recorded request and response; `undefined` for a method that is only designed. */
  readonly example: Example | undefined;
  readonly schemas: SchemaSet;
  /** True if the deployment has API keys. */
  readonly hasKeys: boolean;
  /** The response 200, if it is not the JSON of the method's output. */
  readonly success?: JsonObject;
}

/** OpenAPI operation of a method on one of its paths. */
export function operationOf(method: Method, parts: OperationParts): Operation {
  const { name, summary, input } = method;
  const { params } = parts;
  const body = requestBodyOf(method, parts);
  const isDesigned = method.availability === 'designed';
  return {
    operationId: params === input.params ? name : `${name}.narrowed`,
    tags: [name.split('.')[0]],
    summary,
    description: descriptionOf(method),
    security: securityOf(method, parts.hasKeys),
    'x-availability': method.availability,
    'x-error-codes': codesOf(method),
    parameters: [
      ...(params ? fieldsOf(params).map((field) => pathParameter(field, parts)) : []),
      ...(input.query ? fieldsOf(input.query).map((field) => queryParameter(field, parts)) : []),
      ...headersOf(method),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...(isDesigned
        ? {}
        : { 200: parts.success ?? successOf(method, parts), ...notModifiedOf(method) }),
      ...failuresOf(method),
    },
  };
}

function descriptionOf({ name, summary, access, availability }: Method): string {
  return [
    `\`${name}\`: ${summary}`,
    access === 'session' ? 'It needs a session.' : 'It is public.',
    ...(availability === 'designed' ? ['It is designed, and answers 501 to everybody.'] : []),
  ].join(' ');
}

/** Security requirements: a session cookie, and its CSRF token for a write; or an API key. */
function securityOf(called: Method, hasKeys: boolean): JsonObject[] {
  const { access, method, readsSession } = called;
  const scope = scopeOf(called);
  const keys = hasKeys && scope !== undefined ? [{ apiKey: [scope] }] : [];
  if (access === 'session') {
    return [method === 'GET' ? { session: [] } : { session: [], csrf: [] }, ...keys];
  }
  return readsSession ? [{}, { session: [] }] : [];
}

type Field = readonly [name: string, schema: z.ZodType];

function fieldsOf(schema: z.ZodObject): Field[] {
  // `shape` is typed by zod's core; every schema of the contract is one of zod's own.
  return Object.entries(schema.shape) as [string, z.ZodType][];
}

function pathParameter([name, schema]: Field, { schemas, example }: OperationParts): JsonObject {
  const json = schemas.of(schema, 'input');
  const value = example?.request?.params?.[name];
  return {
    name,
    in: 'path',
    required: true,
    ...describedBy(json, schemas),
    schema: json,
    ...(value === undefined ? {} : { example: value }),
  };
}

/** Query parameter: arrays are comma-separated, objects are JSON (docs/reference/api.md#how-a-call-becomes-a-request). */
function queryParameter([name, schema]: Field, { schemas, example }: OperationParts): JsonObject {
  const json = schemas.of(schema, 'input');
  const value = example?.request?.query?.[name];
  const exampled = value === undefined ? {} : { example: value };
  const required = !schema.isOptional();
  const head = { name, in: 'query', required, ...describedBy(json, schemas) };
  const { type } = schemas.resolve(json);
  if (type === 'object') {
    return { ...head, content: { 'application/json': { schema: json, ...exampled } } };
  }
  const list = type === 'array' ? { style: 'form', explode: false } : {};
  return { ...head, ...list, schema: json, ...exampled };
}

function describedBy(json: JsonObject, schemas: SchemaSet): JsonObject {
  const description = json.description ?? schemas.resolve(json).description;
  return description === undefined ? {} : { description };
}

function requestBodyOf(
  { name, input }: Method,
  { schemas, example }: OperationParts,
): JsonObject | undefined {
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
  const body = example?.request?.body;
  const json = schemas.of(input.body, 'input');
  const content = {
    schema: '$ref' in json ? json : schemas.add(`${pascalCase(name)}Request`, json),
    ...(body === undefined ? {} : { example: body }),
  };
  return { required: true, content: { 'application/json': content } };
}

function successOf(method: Method, { schemas, example }: OperationParts): JsonObject {
  const schema = schemas.add(`${pascalCase(method.name)}Response`, {
    type: 'object',
    properties: {
      data: schemas.of(method.output, 'output'),
      meta: { $ref: '#/components/schemas/ResponseMeta' },
    },
    required: ['data', 'meta'],
    additionalProperties: false,
  });
  const content = { schema, ...(example && { example: example.response }) };
  return {
    description: 'Success.',
    headers: successHeaders(method),
    content: { 'application/json': content },
  };
}

/** `campaigns.saveDraft` as `CampaignsSaveDraft`. */
function pascalCase(name: string): string {
  return name.replace(/(?:^|\.)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}
