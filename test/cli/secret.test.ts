import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { openFolder } from '../../engine/cli/storage.ts';
import { createClient } from '../../engine/client/index.ts';
import { addAsset } from '../../engine/db/commerce/assets.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { inheritedEnv } from '../../engine/env.ts';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { signedIn } from '../http/support/session.ts';
import { account, hash } from '../support/history.ts';
import { runHere } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

const BUYER = account(500);
const FILE = Buffer.from('the book, all of it');

describe('tributary api without SECRET', () => {
  let fixture: ApiFixture;
  let dataDir: string;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'tributary-secret-'));
    const files = openFolder(dataDir);
    fixture = await ApiFixture.open({ files });
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.fund('1', 1_000_000n);
    history.sell('1', '1', { pool: 0n, shares: [], holdUntil: history.time + 600 });
    await fixture.settle(history.facts);
    const merchant = { id: 'm-acme', address: account(1_000), slug: 'acme', name: 'Acme' } as const;
    await saveMerchant(fixture.pool, merchant);
    await saveProduct(fixture.pool, {
      id: 'p-book',
      merchantId: 'm-acme',
      skuHash: hash('sku 1'),
      title: 'A book',
      summary: 'All of it.',
      category: 'books',
      fulfillmentMode: 'download',
      deliverable: 'asset-book',
      price: 1_000_000n,
    });
    await files.put('media/asset-book', FILE);
    const asset = { id: 'asset-book', merchantId: 'm-acme', productId: 'p-book' } as const;
    const content = { key: 'media/asset-book', size: FILE.length, sha256: 'c'.repeat(64) };
    const type = { kind: 'download', contentType: 'application/pdf', extension: 'pdf' } as const;
    const none = { width: null, height: null };
    await addAsset(fixture.pool, { ...asset, ...content, ...type, ...none }, new Date());
  });
  afterAll(async () => {
    for (const child of children) {
      child.kill('SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
    await fixture.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const chain = () => ({
    CHAIN_ID: String(fixture.deps.deployment.chainId),
    RPC_URL: 'http://127.0.0.1:1',
    CONTRACT_ADDRESS: fixture.deps.deployment.contractAddress,
    START_BLOCK: '0',
  });

  /** Starts an API on a free port, and returns its address once it answers. */
  async function startApi(databaseUrl: string): Promise<string> {
    const port = await freePort();
    const child = spawn(process.execPath, ['scripts/tributary.mjs', 'api'], {
      cwd: projectRoot,
      env: {
        ...inheritedEnv(),
        ...chain(),
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        PORT: String(port),
        // Where links lead, and where sessions write from, on each of them.
        PUBLIC_URL: 'https://shop.example',
      },
      stdio: 'ignore',
    });
    children.push(child);
    const url = `http://127.0.0.1:${port}`;
    await waitFor(async () => (await fetch(`${url}/health`)).ok, {
      what: 'the API',
      timeout: 60_000,
    });
    return url;
  }

  it('accepts links of another API of the database, and none that is signed with its URL', async () => {
    const { href } = new URL(fixture.databaseUrl);
    const separator = href.includes('?') ? '&' : '?';
    const other = `${href}${separator}application_name=another`;
    const apis = await Promise.all([startApi(href), startApi(other)]);
    const { csrfToken, reading } = await signedIn(fixture.deps, BUYER);
    const [first = '', second = ''] = apis;
    const client = createClient({
      baseUrl: first,
      session: { csrfToken, cookie: reading.cookie },
      origin: 'https://shop.example',
    });
    const { data } = await client.fulfillment.access({ saleId: '1' });
    const { pathname } = new URL(data.downloads[0]?.url ?? '');
    for (const api of [first, second]) {
      const response = await fetch(`${api}${pathname}`);
      expect(response.status).toBe(200);
      expect(Buffer.from(await response.arrayBuffer())).toEqual(FILE);
    }

    // All of it is public but the key, which was the URL of the database.
    const payload = ['asset-book', '1', BUYER, hash('order 1')];
    const body = Buffer.from(JSON.stringify([Date.now() + 60_000, payload])).toString('base64url');
    for (const url of [href, other, fixture.databaseUrl]) {
      const signature = createHmac('sha256', url).update(`tributary link fulfillment ${body}`);
      const forged = `/downloads/${body}.${signature.digest('base64url')}`;
      for (const api of apis) expect((await fetch(`${api}${forged}`)).status).toBe(404);
    }
  });

  it('stores a new secret with `tributary secret rotate`, but not if SECRET is set', async () => {
    const env = { ...chain(), DATABASE_URL: fixture.databaseUrl };
    const count = async () => (await fixture.pool`select 1 from commerce.secret`).length;
    const before = await count();
    const rotated = await runHere(['secret', 'rotate'], env);
    expect([rotated.code, rotated.stderr]).toEqual([0, '']);
    expect(await count()).toBe(before + 1);
    const refused = await runHere(['secret', 'rotate'], { ...env, SECRET: 'x'.repeat(32) });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('SECRET_PREVIOUS');
    const forgotten = await runHere(['secret', 'rotate', '--forget-previous'], env);
    expect([forgotten.code, await count()]).toEqual([0, 1]);
  });

  it('rejects in one sentence a short secret, and a previous secret without a current one', async () => {
    const env = { ...chain(), DATABASE_URL: fixture.databaseUrl };
    const short = await runHere(['api'], { ...env, SECRET: 'too short' });
    expect([short.code, short.stderr]).toEqual([1, 'SECRET must have at least 32 characters.\n']);
    const alone = await runHere(['api'], { ...env, SECRET_PREVIOUS: 'x'.repeat(32) });
    expect([alone.code, alone.stderr]).toEqual([
      1,
      'SECRET_PREVIOUS is set without SECRET: also set the secret that replaced it.\n',
    ]);
  });
});
