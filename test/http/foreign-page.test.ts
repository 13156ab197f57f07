import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { type Browser, chromium } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { security } from '../../engine/http/security.ts';
import { findChromium } from '../web/support/chromium.ts';

const ENTRY = fileURLToPath(new URL('../../engine/client/index.ts', import.meta.url));

const executablePath = findChromium();

const title =
  executablePath === undefined
    ? 'A page of another site (skipped: no Chromium is installed; .ci/run installs it)'
    : 'A page of another site, in Chromium';

describe.skipIf(executablePath === undefined)(title, () => {
  const cookies: (string | undefined)[] = [];
  const servers: Server[] = [];
  let browser: Browser | undefined;
  let apiUrl = '';
  let pageUrl = '';

  beforeAll(async () => {
    const api = new Hono().use(security([])).get('/v1/campaigns', (c) => {
      cookies.push(c.req.header('cookie'));
      return c.json({ data: { items: [], nextCursor: null }, meta: { requestId: 'r1' } });
    });
    const code = await bundle();
    const site = new Hono()
      .get('/', (c) => c.html('<!doctype html><title>A blog</title>'))
      .get('/client.js', (c) => c.body(code, 200, { 'content-type': 'text/javascript' }));
    [apiUrl, pageUrl] = [await serve(api), await serve(site)];
    browser = await chromium.launch({
      executablePath: executablePath ?? '',
      args: ['--no-sandbox', '--disable-gpu'],
    });
  }, 120_000);

  afterAll(async () => {
    await browser?.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  async function serve(app: Hono): Promise<string> {
    const server = createServer(getRequestListener(app.fetch));
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    return `http://127.0.0.1:${port}`;
  }

  it('lists campaigns with the typed client, and cannot use the session of a reader', async () => {
    const page = await browser?.newPage();
    if (page === undefined) throw new Error('the browser has not started');
    await page.context().addCookies([{ name: 'session', value: 's1', url: apiUrl }]);
    await page.goto(pageUrl);
    const list = async (input: string) =>
      await page.evaluate<string>(
        `import('/client.js')
          .then(({ createClient }) =>
            createClient({ baseUrl: '${apiUrl}', retry: { retries: 0 } }).campaigns.list(${input}))
          .then(({ data }) => JSON.stringify(data.items), ({ code }) => code)`,
      );
    expect(await list('{}')).toBe('[]');
    expect(cookies).toEqual([undefined]);
    expect(await list('{ excludeJoined: true }')).toBe('NETWORK');
  });
});

/** The client as one script for browsers. */
async function bundle(): Promise<string> {
  const result = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, minify: false, lib: { entry: ENTRY, formats: ['es'] } },
  });
  const chunks = [result].flat().flatMap((one) => ('output' in one ? one.output : []));
  return chunks.flatMap((one) => (one.type === 'chunk' ? [one.code] : [])).join('\n');
}
