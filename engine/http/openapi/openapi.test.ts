import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { isIPv4, isIPv6 } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ResponseMeta } from '../../contract/envelope.ts';
import { methods, optionalResources, registry } from '../../contract/registry.ts';
import { streamMethod } from '../../contract/stream.ts';
import { docsRoutes } from './docs.ts';
import { openApiDocument } from './document.ts';
import { readExamples } from './examples.ts';

const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.unknown()),
});
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** Fewest fields of a shape that needs a name if it occurs twice. */
const MIN_FIELDS = 3;

/**
 * Methods that are only designed have no success. Scopes of an API key are valid in OpenAPI 3.1, which lets every kind of
 * scheme name roles; Spectral knows them from OAuth alone.
 */
const ruleset = {
  extends: ['spectral:oas'],
  rules: {
    'oas3-operation-security-defined': 'off',
    // Four fifths of the time of all rules; a test below compares examples with their schemas.
    'oas3-valid-media-example': 'off',
    'operation-success-response': 'off',
    'live-operation-success-response': {
      given: "$.paths.*[?(@['x-availability']=='live')].responses",
      severity: 'error',
      // biome-ignore lint/suspicious/noThenProperty: Spectral calls it so.
      then: { field: '200', function: 'truthy' },
    },
  },
};

const run = promisify(execFile);
const spectral = fileURLToPath(new URL('../../../node_modules/.bin/spectral', import.meta.url));

describe('the OpenAPI document', () => {
  const document = Document.parse(openApiDocument());
  const { paths } = document;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));

  it('lists every method under its name, with its resource as tag', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(ids.filter((id) => !id.endsWith('.narrowed')).sort()).toEqual(
      [streamMethod.name, ...methods.map(({ name }) => name)].sort(),
    );
    expect(ids.filter((id) => id.endsWith('.narrowed'))).toEqual(['vault.get.narrowed']);
    for (const { operationId, tags } of operations) {
      expect(tags).toEqual([operationId.split('.')[0]]);
    }
  });

  it('requires a session for reads, and also the CSRF token for writes', () => {
    const security = (path: string, verb: string) => paths[path]?.[verb]?.security;
    expect(security('/v1/receipts', 'get')).toEqual([]);
    expect(security('/v1/me/claims', 'get')).toEqual([{ session: [] }]);
    expect(security('/v1/me/refund-requests', 'post')).toEqual([{ session: [], csrf: [] }]);
    const responses = paths['/v1/me/refund-requests']?.post?.responses ?? {};
    expect(Object.keys(responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '413', '415', '422', '429', '503']),
    );
  });

  it('answers 501 alone for a designed method, and lists the codes of every other', () => {
    for (const { operationId, responses, ...rest } of operations) {
      const isDesigned = rest['x-availability'] === 'designed';
      if (isDesigned) expect(Object.keys(responses), operationId).toEqual(['501']);
      else expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', '400', '429']));
      expect(rest['x-error-codes'], operationId).toContain(
        isDesigned ? 'METHOD_UNAVAILABLE' : 'RATE_LIMITED',
      );
    }
    const codes = (path: string, verb: string) => paths[path]?.[verb]?.['x-error-codes'];
    expect(codes('/v1/campaigns/{campaignId}', 'get')).toEqual([
      ...['VALIDATION_FAILED', 'NOT_FOUND', 'RATE_LIMITED', 'INTERNAL', 'NOT_READY'],
    ]);
    expect(codes('/v1/merchant/close', 'post')).toContain('CONFIRMATION_REQUIRED');
    expect(codes('/v1/merchant/products', 'get')).not.toContain('CSRF_REJECTED');
  });

  it('describes the headers of tags, limits and repeated writes where they exist', () => {
    const read = paths['/v1/campaigns/{campaignId}']?.get;
    expect(Object.keys(read?.responses ?? {})).toContain('304');
    expect(JSON.stringify(read)).toContain('#/components/parameters/IfNoneMatch');
    expect(JSON.stringify(read)).toContain('#/components/headers/ETag');
    expect(JSON.stringify(read)).toContain('#/components/headers/RateLimit"');
    for (const path of ['/v1/auth/nonce', '/v1/stream', '/v1/me/links']) {
      expect(JSON.stringify(paths[path]?.get), path).not.toMatch(/IfNoneMatch|ETag|NotModified/);
    }
    const write = JSON.stringify(paths['/v1/merchant/invitations']?.post);
    expect(write).toContain('#/components/parameters/IdempotencyKey');
    expect(write).toContain('#/components/headers/IdempotencyReplayed');
    expect(JSON.stringify(paths['/v1/merchant']?.patch)).not.toContain('IdempotencyKey');
  });

  it('writes out no shape twice: each has a name, in PascalCase, and is used', () => {
    const { schemas } = document.components;
    for (const name of Object.keys(schemas)) expect(name).toMatch(/^[A-Z][A-Za-z0-9]*$/);
    const places = new Map<string, string[]>();
    for (const [name, schema] of Object.entries(schemas)) {
      for (const [place, inner] of objectsIn(schema, name)) {
        // What a component itself is made of may equal another: they are different by their names.
        if (place === name) continue;
        places.set(inner, [...(places.get(inner) ?? []), place]);
      }
    }
    const repeated = [...places.values()].filter((found) => found.length > 1);
    expect(repeated, 'name these schemas with nameSchemas (engine/contract/names.ts)').toEqual([]);
    const text = JSON.stringify(document);
    const unused = Object.keys(schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`),
    );
    expect(unused).toEqual([]);
  });

  it('shows an example of every live or optional method that its schemas accept', () => {
    const examples = readExamples();
    for (const { name, input, output, availability } of methods) {
      const { request, response } = examples[name] ?? {};
      if (availability === 'designed') expect(response, name).toBeUndefined();
      else {
        expect(response, `${name}: see test/http/support/example-inputs.ts`).toBeDefined();
        output.parse(response?.data);
        ResponseMeta.parse(response?.meta);
        input.params?.parse(request?.params);
        input.query?.parse(request?.query ?? {});
        input.body?.parse(request?.body);
      }
    }
  });

  it('shows the request and the response of a narrower path, and a value of every path parameter', () => {
    const { vault } = registry;
    const { request, response } = readExamples()['vault.get.narrowed'] ?? {};
    const { campaignId } = vault.get.input.narrowed.params.parse(request?.params);
    expect(vault.get.output.parse(response?.data)).toMatchObject({
      campaignId,
      actions: expect.anything(),
    });
    const path = '/v1/merchant/campaigns/{campaignId}/vault';
    expect(JSON.stringify(paths[path]?.get?.responses['200'])).toContain(JSON.stringify(response));
    const all = Document.parse(openApiDocument(new Set(optionalResources)));
    const without = Object.values(all.paths)
      .flatMap(Object.values)
      .filter((operation) => operation['x-availability'] !== 'designed')
      .filter(({ parameters = [] }) =>
        parameters.some(
          (one: { in?: string; example?: unknown }) =>
            one.in === 'path' && one.example === undefined,
        ),
      )
      .map(({ operationId }) => operationId);
    expect(without).toEqual([]);
  });

  it('names a scheme of the document in each requirement, and scopes only for API keys', () => {
    const all = Document.parse(openApiDocument(new Set(optionalResources)));
    const schemes = Object.keys(Object(all.components.securitySchemes));
    expect(schemes.sort()).toEqual(['apiKey', 'csrf', 'session']);
    for (const { operationId, security } of Object.values(all.paths).flatMap(Object.values)) {
      for (const [scheme, scopes] of security.flatMap((one: object) => Object.entries(one))) {
        expect(schemes, operationId).toContain(scheme);
        expect(scopes, operationId).toHaveLength(scheme === 'apiKey' ? 1 : 0);
      }
    }
  });

  it('accepts every example of a body, header or parameter by the schema next to it', () => {
    const all = openApiDocument(new Set(optionalResources));
    const ajv = new Ajv2020({ strict: false, formats });
    ajv.addSchema(all, 'openapi.json');
    const refused: unknown[] = [];
    const found = examplesIn(all);
    expect(found.length).toBeGreaterThan(400);
    for (const [place, example] of found) {
      const { value } = '$ref' in example ? valueAt(all, example.$ref) : example;
      const accepts = ajv.compile({ $ref: `openapi.json#${place}/schema` });
      if (!accepts(value)) refused.push([place, accepts.errors]);
    }
    expect(refused).toEqual([]);
  });

  // Without the optional resources, more methods are declared as those that are only designed are here.
  it('passes the oas rules of Spectral with every optional resource enabled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      await writeFile(file, JSON.stringify(openApiDocument(new Set(optionalResources))));
      const rules = join(folder, 'rules.json');
      await writeFile(rules, JSON.stringify(ruleset));
      const args = ['lint', file, '--ruleset', rules, '--fail-severity', 'hint'];
      const shell = process.platform === 'win32';
      const { stdout } = await run(spectral, args, { shell }).catch((failed) => failed);
      expect(stdout).toContain("No results with a severity of 'hint' or higher found!");
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 400_000);
});

/** The objects of named fields within a schema, without their descriptions, each with its place. */
function objectsIn(schema: unknown, place: string): [place: string, text: string][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const {
    description: _description,
    title: _title,
    ...shape
  }: Record<string, unknown> = { ...schema };
  const fields = Object.keys(Object(shape.type === 'object' ? shape.properties : {}));
  return [
    ...(fields.length >= MIN_FIELDS
      ? [[place, JSON.stringify(shape)] satisfies [string, string]]
      : []),
    ...Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${place}/${key}`)),
  ];
}

/** Formats that the document names. */
const formats = {
  'date-time': (text: string) => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && isTime(text),
  date: (text: string) => /^\d{4}-\d\d-\d\d$/.test(text) && isTime(text),
  uri: URL.canParse,
  ipv4: isIPv4,
  ipv6: isIPv6,
  email: /^[^@\s]+@[^@\s]+$/,
  // Parts of a union: an address with the length of its network is one string.
  cidrv4: /^[\d.]+\/\d+$/,
  cidrv6: /^[\da-f:]+\/\d+$/,
  // Of whole responses.
  ...({ binary: true, csv: true, json: true } as const),
};

function isTime(text: string): boolean {
  return !Number.isNaN(Date.parse(text));
}

/** An example, or a reference to one. */
type Example = { readonly value?: unknown } | { readonly $ref: string };

/** All examples next to a schema, with the JSON pointer of the object that has both. */
function examplesIn(value: unknown, at = ''): [place: string, example: Example][] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema, example, examples } = Object(value);
  const own: Example[] = [
    ...(example === undefined ? [] : [{ value: example }]),
    ...Object.values<Example>(examples ?? {}),
  ];
  const inside = Object.entries(value).flatMap(([name, member]) => {
    const part = encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'));
    return examplesIn(member, `${at}/${part}`);
  });
  return schema === undefined
    ? inside
    : [...own.map((one): [string, Example] => [at, one]), ...inside];
}

/** The object of a document that a reference names. */
function valueAt(all: object, reference: string): { readonly value?: unknown } {
  return reference
    .split('/')
    .slice(1)
    .reduce((at, name) => Object(at)[name.replaceAll('~1', '/').replaceAll('~0', '~')], all);
}

describe('the reference page', () => {
  const app = docsRoutes({ enabled: new Set(), allowedOrigins: [] });

  it('loads only files of this service, and its policy allows no others', async () => {
    const page = await app.request('/docs');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const html = await page.text();
    expect(html).toContain('<a href="/">');
    const files = [...html.matchAll(/(?:src|<link[^>]* href)="([^"]+)"/g)].map(
      ([, url = '']) => url,
    );
    expect(files).toHaveLength(5);
    for (const file of files) {
      const response = await app.request(file);
      expect(response.status, file).toBe(200);
      expect((await response.arrayBuffer()).byteLength, file).toBeGreaterThan(50);
    }
    expect(html).not.toMatch(/https?:\/\/|<style|<script>/);
  });

  it('reads the document from this service', async () => {
    expect(await (await app.request('/docs/start.js')).text()).toContain("url: '/openapi.json'");
    const response = await app.request('/openapi.json');
    expect(response.headers.get('content-type')).toContain('application/json');
    expect(Document.parse(await response.json()).openapi).toBe('3.1.0');
  });
});
