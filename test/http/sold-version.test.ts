import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { variantSku } from '../../engine/db/read/products/variant.ts';
import type { ProductInput } from '../../engine/db/rows/commerce.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';

const MERCHANT = account(1_000);
const BUYER = account(500);

/** The product as each of its versions has it. */
const product: ProductInput = {
  id: 'p-book',
  merchantId: 'm-acme',
  skuHash: hash('sku 1'),
  title: 'A book',
  summary: 'All of it.',
  category: 'books',
  refundPolicy: 'Within 30 days, no questions.',
  fulfillmentMode: 'download',
  deliverable: 'asset-book',
  price: 1_000_000n,
  variants: [{ id: 'paper', name: 'Paperback', priceBaseUnits: '600000' }],
};
const changed: ProductInput = {
  ...product,
  title: 'A leaflet',
  summary: 'A page of it.',
  refundPolicy: 'None.',
  fulfillmentMode: 'external',
  deliverable: 'https://leaflet.example/',
  accessTiming: 'afterHold',
  variants: [{ id: 'paper', name: 'Napkin', priceBaseUnits: '600000' }],
};

describe('what was sold', () => {
  let fixture: ApiFixture;
  let client: Client;
  let buyer: Client;
  let merchant: Client;
  const history = new HistoryBuilder();
  let indexed = 0;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    client = fixture.client();
    buyer = await fixture.clientAs(BUYER);
    merchant = await fixture.clientAs(MERCHANT);
    await saveMerchant(fixture.pool, {
      id: 'm-acme',
      address: MERCHANT,
      slug: 'acme',
      name: 'Acme',
    });
    history.create('1');
    history.schedule('1');
    history.fund('1', 1_000_000n);
    const sku = variantSku(product.skuHash, { id: 'paper' });
    history.add('1', { name: 'VariantPriced', args: { skuHash: sku, price: 600_000n } });
    history.nextBlock(1_000);
    // Sale 1 is older than any version, sale 2 is of version 1, sale 3 and 4 of version 2.
    sell('1');
    await save(product);
    await fixture.pool`
      insert into commerce.asset (id, merchant_id, product_id, kind, key, size, sha256,
        content_type, extension)
      values ('asset-book', 'm-acme', 'p-book', 'download', 'media/book', 9, ${'c'.repeat(64)},
        'text/plain', 'txt')`;
    sell('2', { skuHash: sku });
    await save(changed);
    sell('3', { skuHash: sku });
    await save({ ...changed, title: 'A draft of something', status: 'archived' });
    await save({ ...changed, title: 'A leaflet again' });
    history.nextBlock(1_000);
    history.fund('1', 1n);
    await settle();
  });
  afterAll(() => fixture.close());

  function sell(saleId: string, more: object = {}): void {
    history.nextBlock(100);
    history.sell('1', saleId, { pool: 0n, shares: [], ...more });
    history.nextBlock(100);
  }
  async function save(version: ProductInput): Promise<void> {
    history.nextBlock(100);
    await saveProduct(fixture.pool, version, new Date(history.time * 1_000));
  }
  async function settle(): Promise<void> {
    const facts = history.facts.slice(indexed);
    indexed = history.facts.length;
    await fixture.settle(facts);
  }

  /** What each sale shows and delivers, by the version that it sold. */
  const expected = [
    { saleId: '1', title: 'A book', productVersion: 1, variant: null, terms: product.refundPolicy },
    {
      saleId: '2',
      title: 'A book',
      productVersion: 1,
      variant: { id: 'paper', name: 'Paperback' },
      terms: product.refundPolicy,
    },
    {
      saleId: '3',
      title: 'A leaflet',
      productVersion: 2,
      variant: { id: 'paper', name: 'Napkin' },
      terms: changed.refundPolicy,
    },
  ];

  it('shows version, variant and terms of each sale as they were sold, whatever changed since', async () => {
    const lists = await Promise.all([
      client.receipts.recent(),
      client.receipts.forCampaign({ campaignId: '1' }),
      buyer.receipts.forBuyer(),
      merchant.receipts.forMerchant(),
      client.lookups.receipts({ chainId: CHAIN_ID, saleIds: ['1', '2', '3'] }),
    ]);
    for (const { saleId, title, productVersion, variant, terms } of expected) {
      const { data } = await client.receipts.get({ chainId: CHAIN_ID, saleId });
      const sold = { product: { title }, productVersion, variant };
      expect(data).toMatchObject({ ...sold, refundPolicy: terms });
      for (const list of lists) {
        expect(list.data.items.find((one) => one.saleId === saleId)).toMatchObject(sold);
      }
      const { data: version } = await client.versions.get({
        id: 'p-book',
        version: productVersion,
      });
      expect(version).toMatchObject({ title, refundPolicy: terms });
      expect(version.variants).toMatchObject(
        variant === null ? [{ id: 'paper' }] : [{ ...variant, skuHash: data.skuHash }],
      );
    }
    const { data: now } = await client.campaigns.get({ campaignId: '1' });
    expect(now.product).toMatchObject({ title: 'A leaflet again', version: 4 });
  });

  it('delivers what was sold, and when it was promised', async () => {
    const access = async (saleId: string) => (await buyer.fulfillment.access({ saleId })).data;
    for (const saleId of ['1', '2']) {
      expect(await access(saleId)).toMatchObject({
        mode: 'download',
        accessTiming: 'afterPurchase',
        available: true,
        downloads: [{ mediaId: 'asset-book' }],
      });
    }
    expect(await access('3')).toMatchObject({
      mode: 'external',
      accessTiming: 'afterHold',
      externalUrl: 'https://leaflet.example/',
      downloads: [],
    });
    const { data } = await buyer.receipts.forBuyer();
    const modes = data.items.map(({ saleId, fulfillment }) => [saleId, fulfillment.mode]);
    expect(modes).toEqual([
      ['3', 'external'],
      ['2', 'download'],
      ['1', 'download'],
    ]);
  });

  it('shows both sides of a dispute the text and the terms that were sold', async () => {
    const request = { reason: 'not_as_described', message: 'A leaflet?' } as const;
    const { data: opened } = await buyer.disputes.open({
      chainId: CHAIN_ID,
      saleId: '2',
      ...request,
    });
    for (const party of [buyer, merchant]) {
      const { data } = await party.disputes.get({ id: opened.id });
      expect(data).toMatchObject({
        product: { title: 'A book' },
        productVersion: 1,
        variant: { id: 'paper', name: 'Paperback' },
        refundPolicy: product.refundPolicy,
      });
    }
    const { data: list } = await merchant.disputes.list();
    expect(list.items).toMatchObject([{ product: { title: 'A book' }, productVersion: 1 }]);
  });

  it('names version and variant in the report of sales', async () => {
    const { data } = await merchant.reports.preview({ kind: 'sales' });
    const names = data.columns.map(({ name }) => name);
    const cell = (row: readonly (string | null)[], name: string) => row[names.indexOf(name)];
    const rows = data.rows.map((row) => [
      ...['saleId', 'product', 'productVersion', 'variantId', 'variant'].map((name) =>
        cell(row, name),
      ),
    ]);
    expect(rows).toEqual(
      expected.map(({ saleId, title, productVersion, variant }) => [
        ...[saleId, title, String(productVersion), variant?.id ?? null, variant?.name ?? null],
      ]),
    );
  });

  it('sells the newest version to the next buyer', async () => {
    sell('4');
    await settle();
    const { data } = await client.receipts.get({ chainId: CHAIN_ID, saleId: '4' });
    expect(data).toMatchObject({ product: { title: 'A leaflet again' }, productVersion: 4 });
  });

  it('refuses to change or delete a version', async () => {
    const refused = { code: '23001' };
    const { pool } = fixture;
    await expect(pool`update commerce.product_version set body = '{}'`).rejects.toMatchObject(
      refused,
    );
    await expect(pool`delete from commerce.product_version`).rejects.toMatchObject(refused);
    await expect(pool`truncate commerce.product_version`).rejects.toMatchObject(refused);
  });

  it('refuses to delete any version of a product that was published, drafts among them', async () => {
    const { pool } = fixture;
    const published = { ...product, id: 'p-sold', skuHash: hash('sold') };
    for (const [status, title] of [
      ['draft', 'First'],
      ['ready', 'Second'],
      ['draft', 'Third'],
    ] as const) {
      await saveProduct(pool, { ...published, status, title });
    }
    const versions = async () =>
      (await pool`select version from commerce.product_version where product_id = 'p-sold'`).length;
    for (const version of [1, 2, 3]) {
      await expect(
        pool`delete from commerce.product_version where product_id = 'p-sold' and version = ${version}`,
      ).rejects.toMatchObject({ code: '23001' });
    }
    await expect(pool`delete from commerce.product where id = 'p-sold'`).rejects.toMatchObject({
      code: '23503',
    });
    expect(await versions()).toBe(3);
  });

  it('lets the versions of a product be deleted that was never published, and none be changed', async () => {
    const { pool } = fixture;
    const unpublished = {
      ...product,
      id: 'p-gone',
      skuHash: hash('gone'),
      status: 'draft',
    } as const;
    await saveProduct(pool, unpublished);
    await saveProduct(pool, { ...unpublished, title: 'Second' });
    await expect(
      pool`update commerce.product_version set saved_at = now() where product_id = 'p-gone'`,
    ).rejects.toMatchObject({ code: '23001' });
    const deleted = await pool`
      delete from commerce.product_version where product_id = 'p-gone' returning version`;
    expect(deleted).toHaveLength(2);
    await pool`delete from commerce.product where id = 'p-gone'`;
  });

  it('lists published versions, newest first, and no draft', async () => {
    await saveProduct(fixture.pool, {
      ...product,
      id: 'p-new',
      skuHash: hash('new'),
      status: 'draft',
    });
    await expect(client.versions.list({ id: 'p-new' })).rejects.toMatchObject({ status: 404 });
    await expect(client.versions.get({ id: 'p-new', version: 1 })).rejects.toMatchObject({
      status: 404,
    });
    await saveProduct(fixture.pool, { ...product, id: 'p-new', skuHash: hash('new') });
    const { data: one } = await client.versions.list({ id: 'p-new' });
    expect(one.items.map(({ version }) => version)).toEqual([2]);
    await expect(client.versions.get({ id: 'p-new', version: 1 })).rejects.toMatchObject({
      status: 404,
    });
    const found = [];
    for await (const each of client.pages(client.versions.list, { id: 'p-book', limit: 1 })) {
      found.push([each.version, each.title, each.status]);
    }
    expect(found).toEqual([
      [4, 'A leaflet again', 'ready'],
      [3, 'A draft of something', 'archived'],
      [2, 'A leaflet', 'ready'],
      [1, 'A book', 'ready'],
    ]);
    const body = JSON.stringify((await client.versions.get({ id: 'p-book', version: 2 })).data);
    expect(body).not.toContain('leaflet.example');
  });
});
