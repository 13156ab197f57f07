import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const draft = {
  merchantId: 'm-acme',
  summary: '',
  category: 'tools',
  fulfillmentMode: 'external',
  deliverable: 'https://secret.example/tool',
  price: 5n,
} as const;
const token = { address: account(7), symbol: 'EUR', decimals: 2 };

describe('the storefront', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  const client = () => fixture.client();

  describe('products.get', () => {
    it('returns a product in the token of its campaign, without what buyers alone may see', async () => {
      const { data } = await client().products.get({ id: 'p-beans' });
      expect(data).toMatchObject({
        id: 'p-beans',
        merchantId: 'm-acme',
        priceBaseUnits: '1000000',
        skuHash: hash('sku 1'),
        token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
        status: 'ready',
        liveCampaignCount: 1,
        variants: [{ id: 'v1', name: 'Half a kilo', priceBaseUnits: '600000' }],
      });
      expect(JSON.stringify(data)).not.toMatch(/secret|dl\.example/);
    });

    it('returns a product without a description by the id derived from its campaign', async () => {
      const { data: campaign } = await client().campaigns.get({ campaignId: '2' });
      const { data } = await client().products.get({ id: campaign.product.id });
      expect(data).toEqual({ ...campaign.product, liveCampaignCount: 1 });
    });

    it('returns a product under its new id, too, once it was described', async () => {
      const old = `${account(1_000).slice(2)}-${hash('sku 1').slice(2, 58)}`;
      const { data } = await client().products.get({ id: old });
      expect(data.id).toBe('p-beans');
    });

    it('returns a product without campaign in the token that its merchant named', async () => {
      const sku = { id: 'p-tool', skuHash: hash('tool'), title: 'Tool' };
      await saveProduct(fixture.pool, { ...draft, ...sku, token, status: 'archived' });
      const { data } = await client().products.get({ id: 'p-tool' });
      expect(data).toMatchObject({ token, status: 'archived', liveCampaignCount: 0 });
    });

    it('products.get returns 404 for drafts, products without a token and unknown products', async () => {
      const sku = (id: string) => ({ id, skuHash: hash(id), title: id });
      await saveProduct(fixture.pool, { ...draft, ...sku('p-draft'), token, status: 'draft' });
      await saveProduct(fixture.pool, { ...draft, ...sku('p-bare') });
      const ghost = `${'0'.repeat(40)}-${'0'.repeat(56)}`;
      for (const id of ['p-draft', 'p-bare', 'nobody', ghost, 'x'.repeat(100)]) {
        await expect(client().products.get({ id })).rejects.toMatchObject({ status: 404 });
      }
      await expect(client().products.get({ id: 'a b' })).rejects.toMatchObject({ status: 400 });
    });
  });

  it('counts listed campaigns by category, those without a description as other', async () => {
    const { data } = await client().products.categories();
    expect(data.items).toEqual([
      { category: 'other', campaigns: 2, liveCampaigns: 2 },
      { category: 'food', campaigns: 1, liveCampaigns: 1 },
    ]);
    for (const { category, campaigns } of data.items) {
      expect((await client().campaigns.list({ category })).data.total).toBe(campaigns);
    }
  });

  describe('merchants.get', () => {
    it('returns a profile by its slug and by its address, in whatever case', async () => {
      const { data } = await client().merchants.get({ slug: 'acme' });
      expect(data).toMatchObject({
        id: 'm-acme',
        slug: 'acme',
        name: 'Acme Coffee',
        address: account(1_000),
        profiled: true,
        status: 'active',
        logo: null,
        campaignCount: 2,
        liveCampaignCount: 2,
      });
      const upper = `0x${account(1_000).slice(2).toUpperCase()}`;
      expect((await client().merchants.get({ slug: upper })).data).toEqual(data);
    });

    it('returns the chain’s data of a merchant without a profile', async () => {
      const { data } = await client().merchants.get({ slug: account(1_001) });
      expect(data).toMatchObject({
        id: account(1_001),
        slug: account(1_001),
        profiled: false,
        createdAt: null,
        campaignCount: 1,
      });
    });

    it('reads an address as an address, whatever slugs exist', async () => {
      const slug = account(1_001);
      const squatter = { id: 'm-squat', address: account(9_999), name: 'Squatter' };
      await saveMerchant(fixture.pool, { ...squatter, slug });
      expect((await client().merchants.get({ slug })).data.address).toBe(account(1_001));
    });

    it('returns a merchant’s own description, and that it has closed', async () => {
      const about = {
        description: 'Pots.',
        websiteUrl: 'https://pots.example',
        supportEmail: 'help@pots.example',
        logo: {
          id: 'logo',
          kind: 'image',
          size: 3,
          sha256: 'c'.repeat(64),
          url: 'https://img.example/l',
        },
      } as const;
      const merchant = { id: 'm-pots', address: account(2_000), slug: 'pots', name: 'Pots' };
      await saveMerchant(fixture.pool, { ...merchant, ...about });
      await fixture.pool`update commerce.merchant set closed_at = now() where id = 'm-pots'`;
      const { data } = await client().merchants.get({ slug: 'pots' });
      expect(data).toMatchObject({ ...about, status: 'closed', campaignCount: 0 });
    });

    it('merchants.get returns 404 for an unknown merchant, and 400 for text that is neither slug nor address', async () => {
      for (const slug of ['nobody', account(123_456)]) {
        await expect(client().merchants.get({ slug })).rejects.toMatchObject({ status: 404 });
      }
      for (const slug of ['Acme', '-acme', "a'b", 'x'.repeat(64)]) {
        await expect(client().merchants.get({ slug })).rejects.toMatchObject({ status: 400 });
      }
    });
  });

  describe('merchants.record', () => {
    it('adds up all campaigns of a merchant, to the unit', async () => {
      const { data } = await client().merchants.record({ slug: 'acme' });
      expect(data).toMatchObject({
        address: account(1_000),
        slug: 'acme',
        since: '2023-11-14T22:13:20.000Z',
        campaigns: 2,
        sales: { recorded: 4, pending: 2, settled: 1, refunded: 1, reversed: 0 },
        finalized: { count: 1, medianSeconds: 712, medianSecondsAfterHold: 112 },
        tokens: [
          {
            token: { address: account(1), symbol: 'TUSD' },
            settledSales: 1,
            settledValue: '600000',
            refundedValue: '1400000',
            pendingValue: '2000000',
          },
        ],
      });
      expect(data.disputed).toBe(0);
    });

    it('counts a reversed sale as finalized, and not as settled', async () => {
      const { data } = await client().merchants.record({ slug: account(1_001) });
      expect(data.sales).toEqual({ recorded: 1, pending: 0, settled: 0, refunded: 0, reversed: 1 });
      expect(data.finalized.count).toBe(1);
      expect(data.tokens[0]).toMatchObject({ settledSales: 0, settledValue: '0' });
    });

    it('merchants.record is empty for a profile that has sold nothing', async () => {
      const { data } = await client().merchants.record({ slug: 'pots' });
      expect(data).toMatchObject({ since: null, lastSaleAt: null, campaigns: 0, tokens: [] });
      expect(data.finalized).toEqual({
        count: 0,
        medianSeconds: null,
        medianSecondsAfterHold: null,
      });
    });
  });

  describe('merchants.offers', () => {
    it('pages through the merchant’s campaigns, newest first', async () => {
      const first = await client().merchants.offers({ slug: 'acme', limit: 1 });
      expect(first.data).toMatchObject({ items: [{ campaignId: '3' }], total: 2 });
      const ids = [];
      for await (const one of client().pages(client().merchants.offers, {
        slug: 'acme',
        limit: 1,
      })) {
        ids.push(one.campaignId);
      }
      expect(ids).toEqual(['3', '1']);
    });

    it('filters by status, and sorts like campaigns.list', async () => {
      const { merchants } = client();
      expect((await merchants.offers({ slug: 'acme', status: 'ended' })).data.total).toBe(0);
      const { data } = await merchants.offers({ slug: 'acme', sort: 'budget', limit: 1 });
      expect(data.items[0]?.campaignId).toBe('1');
      const cursor = data.nextCursor ?? '';
      const next = await merchants.offers({ slug: 'acme', sort: 'budget', cursor });
      expect(next.data.items.map(({ campaignId }) => campaignId)).toEqual(['3']);
      for (const other of [{ slug: 'acme' }, { slug: account(1_001), sort: 'budget' }] as const) {
        await expect(merchants.offers({ ...other, cursor })).rejects.toMatchObject({ status: 400 });
      }
      await expect(merchants.offers({ slug: 'nobody' })).rejects.toMatchObject({ status: 404 });
    });
  });
});
