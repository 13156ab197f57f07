import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import type { ProductInput } from '../../engine/db/rows/commerce.ts';
import { signLink } from '../../engine/http/files/signed-link.ts';
import { deriveKeys } from '../../engine/secrets/keys.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';

const MERCHANT = account(1_000);
const BUYER = account(500);
const FILE = new TextEncoder().encode('the book, all of it');
const QUARTER_MS = 15 * 60_000;

const product: ProductInput = {
  id: 'p-book',
  merchantId: 'm-acme',
  skuHash: hash('sku 1'),
  title: 'A book',
  summary: 'All of it.',
  category: 'books',
  fulfillmentMode: 'download',
  deliverable: 'asset-book',
  price: 1_000_000n,
};

describe('fulfillment.access', () => {
  let fixture: ApiFixture;
  let buyer: Client;
  const history = new HistoryBuilder();
  let indexed = 0;
  let sales = 0;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    buyer = await fixture.clientAs(BUYER);
    history.create('1');
    history.schedule('1');
    history.fund('1', 1_000_000n);
    history.create('2', { trustMode: 'MERCHANT_ATTESTED' });
    history.schedule('2');
    history.fund('2', 1_000_000n);
    await settle();
    const merchant = { id: 'm-acme', address: MERCHANT, slug: 'acme', name: 'Acme' } as const;
    await saveMerchant(fixture.pool, merchant);
    await save(product);
    await keepAsset('asset-book', 'm-acme');
  });
  afterAll(() => fixture.close());

  async function settle(): Promise<void> {
    const facts = history.facts.slice(indexed);
    indexed = history.facts.length;
    await fixture.settle(facts);
    history.nextBlock();
  }
  /** Saves a version that the next sale sells. */
  async function save(version: ProductInput): Promise<void> {
    await saveProduct(fixture.pool, version, new Date(history.time * 1_000));
    history.nextBlock();
  }
  async function keepAsset(id: string, merchantId: string): Promise<void> {
    const key = `media/${id}`;
    await fixture.deps.files.put(key, FILE);
    await fixture.pool`
      insert into commerce.asset (id, merchant_id, product_id, kind, key, size, sha256,
        content_type, extension)
      values (${id}, ${merchantId}, 'p-book', 'download', ${key}, ${FILE.length},
        ${'c'.repeat(64)}, 'application/pdf', 'pdf')`;
  }
  async function sell(campaignId = '1', holdSeconds = 600): Promise<string> {
    sales += 1;
    const saleId = String(sales);
    if (campaignId === '2') {
      const args = { saleId, signer: MERCHANT, nonce: saleId };
      history.add('2', { name: 'SaleAttested', args });
    }
    const holdUntil = history.time + holdSeconds;
    history.sell(campaignId, saleId, { pool: 0n, shares: [], holdUntil });
    await settle();
    return saleId;
  }
  async function refund(saleId: string, amount: bigint, refundedTotal: bigint): Promise<void> {
    const args = { saleId, amount, refundedTotal, buyer: BUYER, reasonHash: hash('reason') };
    history.add('1', { name: 'SaleRefunded', args });
    await settle();
  }
  async function access(saleId: string, as = buyer) {
    return (await as.fulfillment.access({ saleId })).data;
  }
  async function urlOf(saleId: string): Promise<string> {
    return (await access(saleId)).downloads[0]?.url ?? '';
  }
  const fetchFile = (url: string, clock = Date.now, init: RequestInit = {}) =>
    fixture.app({ clock }).request(url.replace('https://shop.example', ''), init);

  it('returns a link to the buyer of a download, and the file for the link', async () => {
    const saleId = await sell();
    const given = await access(saleId);
    const { recordedAt } = (await buyer.receipts.forBuyer({ limit: 1 })).data.items[0] ?? {};
    expect(given).toMatchObject({
      saleId,
      mode: 'download',
      accessTiming: 'afterPurchase',
      available: true,
      availableFrom: recordedAt,
      downloads: [{ mediaId: 'asset-book', size: FILE.length, sha256: 'c'.repeat(64) }],
      externalUrl: null,
      instructions: null,
    });
    const url = given.downloads[0]?.url ?? '';
    expect(url).toMatch(/^https:\/\/shop\.example\/downloads\/[A-Za-z0-9_.-]+$/);
    const answer = await fetchFile(url);
    expect(answer.status).toBe(200);
    expect(new Uint8Array(await answer.arrayBuffer())).toEqual(FILE);
    const headers = {
      'content-type': 'application/pdf',
      'content-length': String(FILE.length),
      'content-disposition': 'attachment; filename="asset-book.pdf"',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-store',
      'content-security-policy': "default-src 'none'; sandbox",
      'referrer-policy': 'no-referrer',
    };
    for (const [name, value] of Object.entries(headers)) {
      expect(answer.headers.get(name), name).toBe(value);
    }
    const head = await fetchFile(url, Date.now, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      ...[200, String(FILE.length), ''],
    ]);
  });

  it('gives access to the buyer only', async () => {
    const saleId = await sell();
    for (const address of [MERCHANT, account(501)]) {
      const response = access(saleId, await fixture.clientAs(address));
      await expect(response).rejects.toMatchObject({ status: 404 });
    }
    await expect(access('4242')).rejects.toMatchObject({ status: 404 });
    await expect(access('demo-1')).rejects.toMatchObject({ status: 404 });
  });

  it('hands out links that expire, and that cannot be forged or changed', async () => {
    const saleId = await sell();
    const before = Date.now();
    const { downloads } = await access(saleId);
    const { url = '', expiresAt = '' } = downloads[0] ?? {};
    const until = Date.parse(expiresAt);
    expect(until).toBeGreaterThanOrEqual(before + QUARTER_MS);
    expect((await fetchFile(url, () => until - 1)).status).toBe(200);
    expect((await fetchFile(url, () => until)).status).toBe(404);
    const token = url.slice(url.lastIndexOf('/') + 1);
    const payload = ['asset-book', '1', BUYER, hash(`order ${saleId}`)];
    const forged = [
      token.replace(/^./, (c) => (c === 'W' ? 'X' : 'W')),
      token.slice(0, -2),
      'nothing',
      signLink(deriveKeys(['another secret of 32 characters or so']), {
        purpose: 'fulfillment',
        payload,
        expiresAt: until,
      }),
      signLink(fixture.deps.keys, { purpose: 'report', payload, expiresAt: until }),
    ];
    for (const one of forged) {
      expect((await fetchFile(`/downloads/${one}`)).status, one).toBe(404);
    }
  });

  it('ends access with a full refund, also for earlier links, but not with a partial one', async () => {
    const saleId = await sell();
    const url = await urlOf(saleId);
    await refund(saleId, 999_999n, 999_999n);
    expect((await access(saleId)).available).toBe(true);
    expect((await fetchFile(url)).status).toBe(200);
    await refund(saleId, 1n, 1_000_000n);
    expect(await access(saleId)).toMatchObject({
      available: false,
      availableFrom: null,
      downloads: [],
    });
    const answer = await fetchFile(url);
    expect([answer.status, await answer.text()]).toEqual([
      404,
      expect.not.stringContaining('book,'),
    ]);
  });

  it('begins access after the hold if the merchant chose that', async () => {
    await save({ ...product, accessTiming: 'afterHold' });
    const saleId = await sell('1', 100);
    const early = await access(saleId);
    expect(early).toMatchObject({ available: false, accessTiming: 'afterHold', downloads: [] });
    history.nextBlock(100 - 12 - 1);
    await sell();
    expect((await access(saleId)).available).toBe(false);
    await sell();
    const given = await access(saleId);
    expect(given).toMatchObject({ available: true, availableFrom: early.availableFrom });
    expect(given.downloads).toHaveLength(1);
    await save(product);
  });

  it('fulfillment.access is never given after a reversal', async () => {
    const saleId = await sell('2');
    history.finalize('2', saleId);
    await settle();
    expect((await access(saleId)).available).toBe(true);
    history.add('2', { name: 'SaleReversed', args: { saleId, reasonHash: hash('reversal') } });
    await settle();
    expect(await access(saleId)).toMatchObject({ available: false, availableFrom: null });
  });

  it('returns the URL of an external deliverable, and the instructions of a manual one', async () => {
    const nothing = { downloads: [], externalUrl: null, instructions: null };
    const cases: [Partial<ProductInput>, object][] = [
      [
        { fulfillmentMode: 'external', deliverable: 'https://course.example/join' },
        { mode: 'external', externalUrl: 'https://course.example/join', instructions: null },
      ],
      [
        { fulfillmentMode: 'download', deliverable: 'https://cdn.example/file.zip' },
        { mode: 'download', externalUrl: 'https://cdn.example/file.zip', downloads: [] },
      ],
      [
        { fulfillmentMode: 'external', deliverable: 'javascript:alert(1)' },
        { mode: 'external', externalUrl: null, instructions: 'javascript:alert(1)' },
      ],
      [
        { fulfillmentMode: 'manual', deliverable: 'We call you within a day.' },
        { mode: 'manual', externalUrl: null, instructions: 'We call you within a day.' },
      ],
      [{ fulfillmentMode: 'download', deliverable: 'asset-none' }, nothing],
    ];
    for (const [changes, expected] of cases) {
      await save({ ...product, ...changes });
      expect(await access(await sell())).toMatchObject({ available: true, ...expected });
    }
    await save(product);
    // No one described it: its merchant delivers it by hand.
    const unknown = await access(await sell('2'));
    expect(unknown).toMatchObject({ mode: 'manual', available: true, ...nothing });
  });

  it('returns no file of another merchant, and none that the storage has lost', async () => {
    const url = await urlOf(await sell());
    const other = { id: 'm-other', address: account(9), slug: 'other', name: 'Other' } as const;
    await saveMerchant(fixture.pool, other);
    await keepAsset('asset-other', 'm-other');
    await save({ ...product, deliverable: 'asset-other' });
    expect((await access(await sell())).downloads).toEqual([]);
    await save(product);
    await fixture.deps.files.delete('media/asset-book');
    expect((await fetchFile(url)).status).toBe(404);
  });

  it('logs a download without its token', async () => {
    const logged: unknown[] = [];
    const info = (one: unknown) => void logged.push(one);
    const logger = Object.assign(Object.create(fixture.deps.logger), { info });
    await fixture.app({ logger }).request('/downloads/some.token');
    expect(logged).toMatchObject([{ path: '/downloads/…', status: 404 }]);
  });
});
