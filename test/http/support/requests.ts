import fc from 'fast-check';
import type { Method } from '../../../engine/contract/define.ts';
import { methods } from '../../../engine/contract/registry.ts';
import { account, hash } from '../../support/history.ts';
import { CHAIN_ID } from './api-fixture.ts';
import { arbitraryOf } from './arbitrary.ts';
import { type Schema, schemaOf } from './json-schema.ts';
import { smallHistory } from './small-history.ts';

/** The parts of an input, by the way they travel. */
export interface Parts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** What the paths name, where the small history of the fixture has it. */
const known: Readonly<Record<string, unknown>> = {
  chainId: CHAIN_ID,
  campaignId: '1',
  saleId: '1',
  nodeId: '1',
  address: account(11),
  slug: 'acme',
  code: '168',
  addressOrHandle: account(11),
  hash: hash('transaction 100 0'),
  number: String(smallHistory().marks.last),
};

/** What the paths of single methods name, where others have something else of that name. */
const knownOf: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'versions.list': { id: 'p-beans' },
  'versions.get': { id: 'p-beans', version: 1 },
  'products.get': { id: 'p-beans' },
  'products.uploadAsset': { id: 'p-beans' },
  'orders.get': { orderKey: hash('order 1') },
  'campaigns.getDraft': { id: 'plan' },
  'reports.get': { id: 'figures' },
  'invitations.get': { id: 'offer' },
  'webhooks.test': { id: 'owner-endpoint' },
  'webhooks.deliveries': { id: 'owner-endpoint' },
  'webhooks.delivery': { id: 'owner-delivery' },
  'webhooks.update': { id: 'owner-endpoint' },
  'webhooks.rotateSecret': { id: 'owner-endpoint' },
  'webhooks.replay': { id: 'owner-delivery' },
  'webhooks.replayRange': { id: 'owner-endpoint' },
  'checkout.getIntent': { id: 'owner-intent' },
  'checkout.getDetails': { id: 'owner-intent' },
  'checkout.saveDetails': { id: 'owner-intent' },
  'intents.cancel': { id: 'owner-intent' },
  'disputes.get': { id: 'owner-dispute' },
  'refundRequests.get': { id: 'owner-dispute' },
  'refundRequests.respond': { id: 'owner-dispute' },
  'refundRequests.withdraw': { id: 'owner-dispute' },
};

/** The methods that can be called, in the order of the registry. */
export const builtMethods: readonly Method[] = methods.filter(
  ({ availability }) => availability !== 'designed',
);

export const isWrite = ({ method }: Method): boolean => method !== 'GET';

/** What a method's parts take, as JSON Schemas. */
export function schemasOf({ input }: Method): { params: Schema; query: Schema; body: Schema } {
  const of = (schema: Parameters<typeof schemaOf>[0] | undefined) =>
    schema ? schemaOf(schema) : { type: 'object' };
  return { params: of(input?.params), query: of(input?.query), body: of(input?.body) };
}

/** An input that the schemas take: what is required, and nothing else. */
export function leastParts(method: Method): Parts {
  const { params, query, body } = schemasOf(method);
  return {
    params: { ...requiredOf(params), ...namedIn(method) },
    query: requiredOf(query),
    body: requiredOf(body),
  };
}

/** The path of a method, with things in it that are there. */
export function pathOf(method: Method): string {
  return fillPath(method, { ...requiredOf(schemasOf(method).params), ...namedIn(method) });
}

/** A request of these parts, with the content type and the idempotency key that the method reads. */
export function requestOf(
  method: Method,
  { params, query, body }: Parts,
  headers: Readonly<Record<string, string>> = {},
): { path: string; init: RequestInit & { headers: Record<string, string> } } {
  const search = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, textOf(value)]],
    ),
  );
  const path = `${fillPath(method, params)}${search.size > 0 ? `?${search}` : ''}`;
  const { input, idempotencyField } = method;
  const key =
    idempotencyField && typeof body === 'object' && body && Reflect.get(body, idempotencyField);
  const init = {
    method: method.method,
    headers: {
      ...(typeof key === 'string' && /^[\x21-\x7e]+$/.test(key) ? { 'idempotency-key': key } : {}),
      ...(input?.body ? { 'content-type': 'application/json' } : {}),
      ...headers,
    },
    ...(input?.body ? { body: JSON.stringify(body) ?? '' } : {}),
    ...(input?.multipart ? { body: form() } : {}),
  };
  return { path, init };
}

function form(): FormData {
  const made = new FormData();
  made.append('file', new Blob(['x'], { type: 'text/plain' }), 'x.txt');
  return made;
}

function fillPath(method: Method, params: Parts['params']): string {
  return method.path.replace(/:(\w+)/g, (_placeholder, name: string) =>
    encodeURIComponent(wellFormed(textOf(params[name] ?? '1')) || '-'),
  );
}

function namedIn({ name: method, path }: Method): Record<string, unknown> {
  const names = [...path.matchAll(/:(\w+)/g)].flatMap(([, name]) => (name ? [name] : []));
  return {
    ...Object.fromEntries(
      names.filter((name) => Object.hasOwn(known, name)).map((name) => [name, known[name]]),
    ),
    ...knownOf[method],
  };
}

function requiredOf(schema: Schema): Record<string, unknown> {
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {})]));
}

const samples = new WeakMap<Schema, unknown>();

/** One value that a schema takes, always the same. To generate it takes some milliseconds. */
function sampleOf(schema: Schema): unknown {
  if (!samples.has(schema)) {
    samples.set(schema, fc.sample(arbitraryOf(schema), { numRuns: 1, seed: 7 })[0]);
  }
  return samples.get(schema);
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join(',');
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** A half of a surrogate pair fits into no URL. */
function wellFormed(text: string): string {
  return text.replace(/[\ud800-\udfff]/g, '');
}
