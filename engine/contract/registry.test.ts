import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { acceptsIdempotencyKey, documentedNameOf, get, type Method, resource } from './define.ts';
import { methods, registry, servedMethods } from './registry.ts';

const Documented = z.array(
  z.strictObject({
    name: z.string(),
    documentedName: z.string().nullable(),
    method: z.string(),
    path: z.string(),
    access: z.string(),
    availability: z.string(),
    section: z.string(),
  }),
);

const file = new URL('../../test/vectors/methods.json', import.meta.url);
const documented = Documented.parse(JSON.parse(readFileSync(file, 'utf8')));

describe('the registry', () => {
  it('declares every documented method with its route, and the methods that this project adds', () => {
    const known = new Set(documented.map(({ name }) => name));
    // Without DESIGNED_METHODS, what is designed there is designed here.
    const served = servedMethods(new Set());
    const own = served.filter(({ name }) => !known.has(name));
    expect(own.every(({ documentedName }) => documentedName === null)).toBe(true);
    const rest = served.filter((method) => !own.includes(method));
    expect(rest.map(entryOf).sort(byName)).toEqual(
      documented.map(({ section: _section, ...entry }) => entry).sort(byName),
    );
  });

  it('gives every method a summary that is a sentence', () => {
    for (const { name, summary } of methods) expect(summary, name).toMatch(/^\S.*\.$/);
  });

  it('compiles with no misspelt fact of a method', () => {
    const facts = { summary: '', input: {}, output: z.string() } as const;
    const { one, two } = resource('x', { about: '', caller: 'public' })({
      // @ts-expect-error a fact that no method has
      one: get('/v1/x', { ...facts, redsSession: true }),
      // @ts-expect-error a fact of how it is served that no method has
      two: get('/v1/y', { ...facts, serving: { long: true, cachd: true } }),
    });
    expect([one.name, two.access, two.availability]).toEqual(['x.one', 'public', 'live']);
  });

  it('lists each method under its own name', () => {
    for (const [resource, group] of Object.entries(registry)) {
      for (const [key, method] of Object.entries<Method>(group)) {
        expect(method.name).toBe(`${resource}.${key}`);
      }
    }
  });

  it('declares the placeholders of a method as params, and no field twice', () => {
    for (const { path, input } of methods) {
      const placeholders = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(input.params?.shape ?? {})).toEqual(placeholders);
      const body = input.payload === undefined ? input.body : undefined;
      const fields = [input.params, input.query, body].flatMap((part) =>
        Object.keys(part?.shape ?? {}),
      );
      if (input.payload !== undefined) fields.push(input.payload);
      if (input.multipart) fields.push('file');
      expect(new Set(fields).size).toBe(fields.length);
    }
  });

  it('gives a body only to writes, a query only to reads, and a key only to a field', () => {
    for (const { name, method, input, idempotencyField } of methods) {
      const carried = [input.body, input.payload, input.multipart].filter((part) => part);
      if (method === 'GET') expect(carried, name).toEqual([]);
      else expect(input.query, name).toBeUndefined();
      if (input.multipart) expect(input.body, name).toBeUndefined();
      if (input.payload !== undefined) expect(input.body, name).toBeDefined();
      const fields = Object.keys(input.body?.shape ?? {});
      if (idempotencyField !== undefined) expect(fields, name).toContain(idempotencyField);
    }
    expect(registry.products.save.input.payload).toBe('product');
    expect(registry.campaigns.saveDraft.input.payload).toBe('draft');
    expect(registry.checkout.createIntent.idempotencyField).toBe('orderKey');
    const forms = methods.filter(({ input }) => input.multipart).map(({ name }) => name);
    expect(forms.sort()).toEqual(['merchants.uploadLogo', 'products.uploadAsset']);
    const narrowed = methods.filter(({ input }) => input.narrowed);
    expect(narrowed.map(({ input }) => input.narrowed?.path)).toEqual([
      '/v1/merchant/campaigns/:campaignId/vault',
    ]);
  });

  it('declares every write whose response may be stored and has a secret', () => {
    const writes = methods
      .filter(({ availability }) => availability !== 'designed')

      .filter(acceptsIdempotencyKey);
    const withSecret = writes.filter(({ output }) =>
      secretFields(z.toJSONSchema(output)).some((name) => !opensWithSession.has(name)),
    );
    const declared = methods.filter(({ returnsSecret }) => returnsSecret);
    expect(declared.map(({ name }) => name)).toEqual(withSecret.map(({ name }) => name));
    expect(declared.map(({ name }) => name).sort()).toEqual([
      ...['apiKeys.create', 'apiKeys.rotate', 'fulfillment.access'],
      ...['webhooks.create', 'webhooks.rotateSecret'],
    ]);
  });

  it('refuses unknown fields in every described object', () => {
    for (const { name, input, output } of methods) {
      for (const schema of [input.params, input.query, input.body, output]) {
        if (schema) expect(openObjects(z.toJSONSchema(schema)), name).toEqual([]);
      }
    }
  });
});

function entryOf(method: Method) {
  const { name, path, access, availability } = method;
  const documentedName = documentedNameOf(method);
  return { name, documentedName, method: method.method, path, access, availability };
}

function byName(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** Links that open only in a session: that of a report needs one of the merchant's team. */
const opensWithSession: ReadonlySet<string> = new Set(['downloadUrl']);

/** Names of texts that only their receiver may know, and of links that open for everybody who has them. */
const SECRET = /secret$|password|(?<!by)token$|credentials?$|privateKey|^download/i;

/** Names of the fields in a schema that are secrets; an object, such as the token of a campaign, is none. */
function secretFields(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const fields: [string, unknown][] =
    'properties' in schema ? Object.entries(schema.properties ?? {}) : [];
  const secrets = fields.filter(([name, one]) => SECRET.test(name) && !isObject(one));
  return [...secrets.map(([name]) => name), ...Object.values(schema).flatMap(secretFields)];
}

function isObject(schema: unknown): boolean {
  return z
    .union([z.object({ type: z.literal('object') }), z.object({ $ref: z.string() })])
    .safeParse(schema).success;
}

/** Objects with named fields that let others through. */
function openObjects(schema: unknown, path = ''): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return [
    ...(isOpen ? [path] : []),
    ...Object.entries(schema).flatMap(([key, value]) => openObjects(value, `${path}/${key}`)),
  ];
}
