import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cardPathOf, pathOf } from '../../engine/contract/pages.ts';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { HttpError } from '../../engine/http/errors.ts';
import { hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const HOSTILE = '"><script>alert(1)</script> $& Ёж 日本 😀\u202e\u001b';
const PAGE = '<!doctype html><html><head><title>Tributary</title></head><body>page</body></html>';
const code = encodeReferralCode('7') ?? '';
const linkPath = pathOf('link', { code });

describe('share cards and tags', () => {
  let fixture: ApiFixture;
  let home: string;
  let ask: (path: string, init?: RequestInit) => Promise<Response>;
  let isLimited = false;
  let reads = 0;

  const makeApp = () => {
    const limits = {
      take: async (kind: string) => {
        if (kind !== 'address') return undefined;
        reads += 1;
        if (isLimited) throw new HttpError('RATE_LIMITED', 'Too many requests.');
        return undefined;
      },
    };
    // A busy machine must not make pages come without their tags.
    const app = fixture.app({ siteFolder: home, limits, tagsMs: 30_000 });
    ask = async (path, init) => await app.request(path, init);
  };

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
    home = await mkdtemp(join(tmpdir(), 'tributary-share-'));
    await mkdir(join(home, 'assets'));
    await writeFile(join(home, 'index.html'), PAGE);
    makeApp();
  });
  afterAll(async () => {
    await rm(home, { recursive: true, force: true });
    await fixture.close();
  });

  const sharedPaths = () => [
    pathOf('link', { code: encodeReferralCode('1') ?? '' }),
    pathOf('campaign', { campaignId: '1' }),
    pathOf('product', { productId: 'p-beans' }),
    pathOf('receipt', { chainId: CHAIN_ID, saleId: '1' }),
  ];

  it('names the product, its price and its card in the page of each kind', async () => {
    for (const path of sharedPaths()) {
      const response = await ask(path);
      const html = await response.text();
      expect([path, response.status]).toEqual([path, 200]);
      expect(html).toContain('<title>Mountain beans · Tributary</title>');
      expect(html).toContain('<meta property="og:title" content="Mountain beans" />');
      expect(html).toContain(`content="https://shop.example${cardPathOf(path)}"`);
      expect(html).toContain('TUSD');
      expect(html).toContain('Acme Coffee');
      expect(html).toContain('<body>page</body>');
    }
    const link = await (await ask(pathOf('link', { code: encodeReferralCode('1') ?? '' }))).text();
    expect(link).toContain('This link earns its owner 0.1 TUSD. You pay the same price.');
  });

  it('draws a PNG of 1200 by 630 pixels for each kind, once for equal content', async () => {
    for (const path of sharedPaths()) {
      const response = await ask(cardPathOf(path));
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        200,
        'image/png',
      ]);
      expect(response.headers.get('cross-origin-resource-policy')).toBe('cross-origin');
      expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
      const png = new Uint8Array(await response.arrayBuffer());
      expect(imageSize(png)).toMatchObject({ type: 'png', width: 1_200, height: 630 });
      // A drawing without text would be much smaller.
      expect(png.length).toBeGreaterThan(10_000);
      const etag = response.headers.get('etag') ?? '';
      const again = await ask(cardPathOf(path), { headers: { 'if-none-match': etag } });
      expect([again.status, await again.text()]).toEqual([304, '']);
    }
  });

  it('writes a hostile title as text into tags, and draws it', async () => {
    await saveProduct(fixture.pool, {
      id: 'p-hostile',
      merchantId: 'm-acme',
      skuHash: hash('hostile'),
      title: HOSTILE,
      summary: `${'</title>'.repeat(50)}<img src=x onerror=alert(1)>`,
      category: 'food',
      fulfillmentMode: 'manual',
      price: 5n,
      token: { address: hash('token').slice(0, 42) as `0x${string}`, symbol: '<b>', decimals: 0 },
      media: [],
      variants: [],
    });
    const path = pathOf('product', { productId: 'p-hostile' });
    const html = await (await ask(path)).text();
    expect(html).not.toContain('<script>');
    expect(html).not.toContain('<img');
    expect(html).not.toContain('<b>');
    expect(html.match(/<\/title>/g)).toHaveLength(1);
    expect(html.match(/<\/head>/g)).toHaveLength(1);
    expect(html).toContain(
      'content="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; $&amp; Ёж 日本 😀\\u{202e}\\u{1b}"',
    );
    const description = /og:description" content="([^"]*)"/.exec(html)?.[1] ?? '';
    expect(description.endsWith('…')).toBe(true);
    const card = await ask(cardPathOf(path));
    expect(imageSize(new Uint8Array(await card.arrayBuffer()))).toMatchObject({ width: 1_200 });
  });

  it('serves the plain page, and no card, for what does not exist or an operator hid', async () => {
    await moderate(fixture.pool, 'hide', '2');
    makeApp();
    const nowhere = [
      pathOf('link', { code: 'AAAA' }),
      pathOf('link', { code: encodeReferralCode('999') ?? '' }),
      pathOf('campaign', { campaignId: '2' }),
      pathOf('campaign', { campaignId: '999' }),
      pathOf('campaign', { campaignId: "1'--" }),
      pathOf('product', { productId: 'none' }),
      pathOf('receipt', { chainId: 1, saleId: '1' }),
      pathOf('receipt', { chainId: CHAIN_ID, saleId: '999' }),
    ];
    for (const path of nowhere) {
      expect([path, await (await ask(path)).text()]).toEqual([path, PAGE]);
      expect([path, (await ask(cardPathOf(path))).status]).toEqual([path, 404]);
    }
    expect((await ask('/share/campaigns/1')).status).toBe(404);
    expect((await ask('/share/status.png')).status).toBe(404);
  });

  it('reads for many page views once, within the limit of requests to the API', async () => {
    makeApp();
    reads = 0;
    await Promise.all(Array.from({ length: 10 }, () => ask(linkPath)));
    await ask(linkPath);
    expect(reads).toBeLessThanOrEqual(10);
    const readsAfterCaching = reads;
    await ask(linkPath);
    expect(reads).toBe(readsAfterCaching);
    isLimited = true;
    const other = pathOf('campaign', { campaignId: '1' });
    expect(await (await ask(other)).text()).toBe(PAGE);
    expect((await ask(cardPathOf(other))).status).toBe(429);
    // What is in memory costs nothing.
    expect(await (await ask(linkPath)).text()).toContain('og:title');
    isLimited = false;
  });

  it('serves the plain page while the database is away', async () => {
    const database = {
      away: true,
      run: async () => {
        throw new Error('away');
      },
    };
    const app = fixture.app({ siteFolder: home, database });
    const response = await app.request(linkPath);
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
  });
});
