import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { methods } from '../../contract/registry.ts';
import { streamMethod } from '../../contract/stream.ts';
import { docsRoutes } from './docs.ts';
import { openApiDocument } from './document.ts';

const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  security: z.array(z.record(z.string(), z.array(z.string()))),
  responses: z.record(z.string(), z.unknown()),
});
const Document = z.looseObject({
  openapi: z.literal('3.1.0'),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

const run = promisify(execFile);
const spectral = fileURLToPath(new URL('../../../node_modules/.bin/spectral', import.meta.url));

describe('the OpenAPI document', () => {
  const { paths } = Document.parse(openApiDocument());
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

  it('passes the oas rules of Spectral', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tributary-openapi-'));
    try {
      const file = join(folder, 'openapi.json');
      const rules = join(folder, 'rules.yaml');
      await writeFile(file, JSON.stringify(openApiDocument()));
      await writeFile(rules, 'extends: ["spectral:oas"]\n');
      const args = ['lint', file, '--ruleset', rules, '--fail-severity', 'hint'];
      const { stdout } = await run(spectral, args, { shell: process.platform === 'win32' });
      expect(stdout).toContain("No results with a severity of 'hint' or higher found!");
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the reference page', () => {
  const app = docsRoutes();

  it('loads only files of this service, and its policy allows no others', async () => {
    const page = await app.request('/docs');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const html = await page.text();
    const files = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(files).toHaveLength(4);
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
