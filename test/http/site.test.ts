import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiFixture } from './support/api-fixture.ts';

const PAGE = '<!doctype html><title>the site</title>';
const GERMAN = '<!doctype html><title>die Seite</title>';
const CODE = `export const figure = 1;${' '.repeat(2_000)}`;

let fixture: ApiFixture;
let home: string;
let counted = 0;
let ask: (path: string, init?: RequestInit) => Promise<Response>;

beforeAll(async () => {
  fixture = await ApiFixture.open();
  home = await mkdtemp(join(tmpdir(), 'tributary-site-'));
  const folder = join(home, 'dist');
  await mkdir(join(folder, 'assets'), { recursive: true });
  await mkdir(join(folder, '.vite'));
  await Promise.all([
    writeFile(join(folder, 'index.html'), PAGE),
    writeFile(join(folder, 'index.de.html'), GERMAN),
    writeFile(join(folder, 'early.js'), '// early'),
    writeFile(join(folder, '.vite', 'manifest.json'), '{}'),
    writeFile(join(folder, 'assets', 'code-abc.js'), CODE),
    writeFile(join(folder, 'assets', 'code-abc.js.gz'), gzipSync(CODE)),
    writeFile(join(home, 'secret.txt'), 'a secret'),
  ]);
  const limits = {
    take: async (kind: string) => {
      if (kind === 'page') counted += 1;
      return undefined;
    },
  };
  const app = fixture.app({ siteFolder: folder, limits });
  ask = async (path, init) => await app.request(path, init);
});

afterAll(async () => {
  await rm(home, { recursive: true, force: true });
  await fixture.close();
});

describe('the site', () => {
  it('serves every page with the same file, which is revalidated and counts against the limit of pages', async () => {
    const before = counted;
    const paths = ['/', '/receipts/1/2', '/campaigns/1', '/distributors/0x1', '/merchants/a'];
    const pages = [...paths, '/status', '/me', '/bundle'];
    for (const path of pages) {
      const response = await ask(path);
      expect([path, response.status, await response.text()]).toEqual([path, 200, PAGE]);
      expect(response.headers.get('cache-control')).toBe('no-cache');
      expect(response.headers.get('content-type')).toContain('text/html');
    }
    expect(counted - before).toBe(pages.length);
  });

  it('serves a page in the language that the reader chose, and in English for any other name', async () => {
    const read = async (cookie: string) => await (await ask('/', { headers: { cookie } })).text();
    expect(await read('tributary-language=de')).toBe(GERMAN);
    for (const name of ['en', 'fr', '', '../../secret.txt', 'constructor', '%00', 'de/']) {
      expect([name, await read(`tributary-language=${name}`)]).toEqual([name, PAGE]);
    }
    // A cache in between stores one answer for each cookie.
    expect((await ask('/')).headers.get('vary')).toContain('Cookie');
  });

  it('lets a page run only its own code and call any RPC, and never be framed', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy') ?? '';
    const rules = new Set(policy.split('; '));
    expect([...rules]).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self' http: https:",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toContain('unsafe');
    expect((await ask('/')).headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('names the project at WalletConnect and allows its relay only if it is configured', async () => {
    const projectId = '0123456789abcdef0123456789abcdef';
    const html = '<!doctype html><head><title>the site</title></head>';
    const folder = await mkdtemp(join(home, 'paired-'));
    await writeFile(join(folder, 'index.html'), html);
    const app = fixture.app({ siteFolder: folder, walletConnectProjectId: projectId });
    const response = await app.request('/me');
    expect(await response.text()).toContain(
      `<meta name="walletconnect-project" content="${projectId}" />`,
    );
    const relay = 'wss://relay.walletconnect.org';
    expect(response.headers.get('content-security-policy')).toContain(relay);
    expect((await ask('/')).headers.get('content-security-policy')).not.toContain(relay);
  });

  it('names an RPC for wallets only if the operator published one', async () => {
    const folder = await mkdtemp(join(home, 'rpc-'));
    await writeFile(join(folder, 'index.html'), '<!doctype html><head></head>');
    const page = async (publicRpcUrl?: string) =>
      await (await fixture.app({ siteFolder: folder, publicRpcUrl }).request('/me')).text();
    expect(await page('https://rpc.example/?a=1&b="2"')).toContain(
      '<meta name="public-rpc" content="https://rpc.example/?a=1&amp;b=&quot;2&quot;" />',
    );
    expect(await page()).not.toContain('public-rpc');
  });

  it('caches hashed files forever, and compresses them if the client accepts that', async () => {
    const plain = await ask('/assets/code-abc.js');
    expect([plain.status, await plain.text()]).toEqual([200, CODE]);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('x-content-type-options')).toBe('nosniff');
    const packed = await ask('/assets/code-abc.js', { headers: { 'accept-encoding': 'gzip, br' } });
    expect(packed.headers.get('content-encoding')).toBe('gzip');
    expect(packed.headers.get('content-type')).toContain('javascript');
    expect((await ask('/early.js')).headers.get('cache-control')).toBe('no-cache');
  });

  it('serves HEAD without a body, and a range with its part', async () => {
    const head = await ask('/assets/code-abc.js', { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const part = await ask('/assets/code-abc.js', { headers: { range: 'bytes=0-5' } });
    expect([part.status, await part.text()]).toEqual([206, 'export']);
    const beyond = await ask('/assets/code-abc.js', { headers: { range: 'bytes=9999999-' } });
    expect(beyond.status).toBe(416);
  });

  it.each([
    '/assets/../../secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/assets/%2e%2e/%2e%2e/secret.txt',
    '/assets/..%5c..%5csecret.txt',
    '/assets//../secret.txt',
    '/assets/%00',
    '/.vite/manifest.json',
    '/assets/',
  ])('serves no other file of the machine: %s', async (path) => {
    const response = await ask(path);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining('"code":"NOT_FOUND"'),
    ]);
  });

  it('returns 404 as a page to browsers, and as JSON to programs and below /v1', async () => {
    const html = { headers: { accept: 'text/html,*/*' } };
    const person = await ask('/nowhere', html);
    expect([person.status, await person.text()]).toEqual([404, PAGE]);
    expect(person.headers.get('content-security-policy')).toContain("script-src 'self'");
    for (const [path, init] of [
      ['/nowhere', {}],
      ['/v1/nowhere', html],
    ] as const) {
      const response = await ask(path, init);
      expect(response.status).toBe(404);
      expect(await response.json()).toMatchObject({ error: { code: 'NOT_FOUND' } });
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    }
    expect((await ask('/nowhere', { method: 'POST', ...html })).status).toBe(404);
  });

  it('leaves responses of the API unchanged', async () => {
    const response = await ask('/health', { headers: { accept: 'text/html' } });
    expect(await response.json()).toMatchObject({ data: { ok: true } });
    expect(response.headers.get('content-security-policy')).not.toContain('script-src');
  });

  it('explains how to build the site if it was not built', async () => {
    const app = fixture.app({ siteFolder: join(home, 'nothing') });
    const response = await app.request('/');
    expect(response.status).toBe(503);
    expect(await response.text()).toContain('npm run build');
    expect((await app.request('/assets/code-abc.js')).status).toBe(404);
  });
});
