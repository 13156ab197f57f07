import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ErrorBody, ResponseMeta } from './envelope.ts';
import { methods } from './registry.ts';
import { streamMessages } from './shapes/stream.ts';
import { WebhookMessage } from './shapes/webhook.ts';
import { Timestamp } from './values.ts';

type Json = Readonly<Record<string, unknown>>;

/** A field of a request or response, by its path. */
interface Field {
  readonly path: string;
  readonly name: string;
  readonly schema: Json;
}

/** Names of fields that are times. `from` and `to` are none: they also name accounts and buckets. */
const TIME_NAME =
  /(?:[a-z](?:At|Until|Since|Time|Date|Deadline|Expiry|Timestamp)|^(?:at|since|until|timestamp|deadline|expiry|expires|date|time|day))$/;

/** Words in descriptions of times that are numbers. */
const SECONDS = /unix|since 1970|epoch/i;

/** Fields that only look like times, and those of a message that was signed (docs/reference/api.md#values). */
const otherFields: ReadonlySet<string> = new Set([
  'attestations.prepare output.attestation.deadline',
  'attestations.submit body.attestation.deadline',
  // Positions of a reader.
  'orders.list query.since',
  'orders.list output.since',
]);

describe('times in requests and responses', () => {
  it('finds ISO 8601 in UTC in every field that is named or described as a time', () => {
    const fields = allFields();
    const wrong = fields.filter(isWrong).map(({ path }) => path);
    expect(wrong.sort()).toEqual([...otherFields].sort());
    // The walk reaches the deep fields, too.
    const times = fields.filter(({ schema }) => isTimestamp(schema)).map(({ path }) => path);
    expect(times.length).toBeGreaterThan(200);
    expect(times).toEqual(
      expect.arrayContaining([
        'receipts.get output.policy.expiry',
        'operations.refund body.approval.deadline',
        'operations.refund output.approval.deadline',
        'vault.movements output.items.at',
        'meta.chain.stopped.campaigns.since',
      ]),
    );
  });

  it.each([
    ['a number of seconds', 'paidAt', z.int()],
    ['digits in a string', 'deadline', z.string().regex(/^[0-9]+$/)],
    ['a text without a form', 'expiry', z.string().describe('ISO 8601.').nullable()],
    ['a time in any zone', 'paidAt', z.iso.datetime({ offset: true }).optional()],
    ['a day', 'paidOn', z.iso.date()],
    ['seconds under another name', 'paid', z.int().describe('Unix seconds.')],
  ])('refuses %s', (_form, name, schema) => {
    const fields = fieldsOf(schemaOf(z.strictObject({ [name]: schema }), 'output'), 'output');
    expect(fields.map(isWrong)).toEqual([true]);
  });
});

function isWrong({ name, schema }: Field): boolean {
  const isTime =
    TIME_NAME.test(name) ||
    SECONDS.test(String(schema.description ?? '')) ||
    alternativesOf(schema).some(({ format }) => /date|time/.test(String(format ?? '')));
  return isTime && !isTimestamp(schema) && !isDay(name, schema);
}

/** True for a whole day in UTC. */
function isDay(name: string, schema: Json): boolean {
  return name === 'day' && alternativesOf(schema).every(({ format }) => format === 'date');
}

const timestamp = schemaOf(Timestamp, 'output');

/** True for a `Timestamp`, also with another description or null. */
function isTimestamp(schema: Json): boolean {
  const { type, format, pattern } = timestamp;
  const own = alternativesOf(schema);
  return (
    own.length > 0 &&
    own.every((one) => one.type === type && one.format === format && one.pattern === pattern)
  );
}

/** The alternatives of a schema without null. */
function alternativesOf(schema: Json): Json[] {
  const { anyOf } = schema;
  const all = Array.isArray(anyOf) ? (anyOf as Json[]) : [schema];
  return all.filter(({ type }) => type !== 'null');
}

/** Fields of all methods, and of what is sent without one. */
function allFields(): Field[] {
  const inputs = methods.flatMap(({ name, input, output }) => [
    ...[['params', input.params] as const, ['query', input.query] as const].flatMap(
      ([part, schema]) => (schema ? fieldsOf(schemaOf(schema, 'input'), `${name} ${part}`) : []),
    ),
    ...(input.body ? fieldsOf(schemaOf(input.body, 'input'), `${name} body`) : []),
    ...fieldsOf(schemaOf(output, 'output'), `${name} output`),
  ]);
  const others = Object.entries({
    ...streamMessages,
    WebhookMessage,
    meta: ResponseMeta,
    ErrorBody,
  });
  return [
    ...inputs,
    ...others.flatMap(([name, schema]) => fieldsOf(schemaOf(schema, 'output'), name)),
  ];
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  // Without references: every field is at its own path.
  return z.toJSONSchema(schema, { io, reused: 'inline' }) as Json;
}

/** All fields in a schema, those of lists under the path of the list. */
function fieldsOf(schema: unknown, path: string): Field[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {}, ...rest } = schema as { readonly properties?: Record<string, Json> };
  const own = Object.entries(properties).flatMap(([name, field]) => [
    { path: `${path}.${name}`, name, schema: field },
    ...fieldsOf(field, `${path}.${name}`),
  ]);
  return [...own, ...Object.values(rest).flatMap((inner) => fieldsOf(inner, path))];
}
