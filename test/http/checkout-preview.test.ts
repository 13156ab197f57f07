import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { variantSku } from '../../engine/db/read/products/variant.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import type { HistoryBuilder } from './support/facts.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const derived = variantSku(hash('sku 1'), { id: 'v1' });

/** Prices two more SKUs of campaign 1, and adds campaigns that no one can buy from. */
function addCases(history: HistoryBuilder): void {
  const price = (skuHash: `0x${string}`, amount: bigint) =>
    history.add('1', { name: 'VariantPriced', args: { skuHash, price: amount } });
  price(derived, 600_000n);
  price(hash('gift card'), 70_000n);
  price(hash('gift card'), 80_000n);
  history.create('4', { startsAt: 3_900_000_000 });
  history.schedule('4');
  history.create('5');
  history.schedule('5');
  history.fund('5', 10n);
  history.add('5', { name: 'CampaignPaused', args: {} });
  history.create('6', { saleCapacity: 0 });
  history.schedule('6');
  history.fund('6', 10n);
  history.add('6', { name: 'CampaignEnded', args: {} });
  history.create('7', { endsAt: history.time });
  history.schedule('7');
  history.fund('7', 10n);
  history.create('8');
  history.schedule('8', {
    ...{ excludesSelfReferral: true, maxRewardedAncestors: 2, weightsBps: [6_000, 4_000] },
  });
  history.fund('8', 1_000_000n);
  for (const [nodeId, parent] of [['80'], ['81', '80'], ['82', '81']] as const) {
    history.join('8', nodeId, parent);
  }
}

describe('checkout.preview', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const { history } = smallHistory();
    addCases(history);
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  type Input = Parameters<ReturnType<ApiFixture['client']>['checkout']['preview']>[0];
  async function preview(input: Input) {
    return (await fixture.client().checkout.preview(input)).data;
  }
  async function refused(campaignId: string) {
    const { buyable, refusals } = await preview({ campaignId });
    expect(buyable).toBe(false);
    return refusals.map(({ code }) => code);
  }

  it('returns the price, the rewards of the path and the transaction to send', async () => {
    const data = await preview({ campaignId: '1', nodeId: '4' });
    expect(data).toMatchObject({
      state: 'FUNDED_ACTIVE',
      buyable: true,
      refusals: [],
      merchant: { slug: 'acme' },
      product: { id: 'p-beans' },
      variant: null,
      price: '1000000',
      nodeId: '4',
      policyVersion: 1,
      nextPolicy: null,
      holdSeconds: 600,
      minPolicyVersion: 1,
      maxAmount: '1000000',
      split: { gross: '100000', pool: '100000', reserved: '100000', returned: '0', missed: [] },
    });
    expect(data.split.shares).toEqual([
      { level: 1, nodeId: '4', recipient: account(14), amount: '50000' },
      { level: 2, nodeId: '3', recipient: account(13), amount: '30000' },
      { level: 3, nodeId: '2', recipient: account(12), amount: '20000' },
    ]);
    expect(data.buy).toEqual({
      contractAddress: account(0xc0ffee),
      functionName: 'buy',
      campaignId: '1',
      termsHash: hash('terms 1'),
      nodeId: '4',
      nodeOwner: account(14),
      skuHash: hash('sku 1'),
      maxAmount: '1000000',
      minPolicyVersion: 1,
      allowance: '1000000',
    });
  });

  it('pays no reward for a sale without a link, however it is requested', async () => {
    const direct = await preview({ campaignId: '1' });
    expect(direct).toMatchObject({ nodeId: null, split: { pool: '0', shares: [] } });
    expect(direct.buy?.nodeId).toBe('0');
    expect(await preview({ campaignId: '1', nodeId: '0' })).toEqual(direct);
  });

  it('returns the cost of a cap for each level, and the next policy', async () => {
    const data = await preview({ campaignId: '3', nodeId: '7' });
    expect(data.nextPolicy?.version).toBe(2);
    expect(data.split).toMatchObject({ gross: '100000', pool: '10000', returned: '2000' });
    expect(data.split.missed).toEqual([
      { level: 1, nodeId: '7', reason: 'SALE_CAP', amount: '45000' },
      { level: 2, nodeId: '6', reason: 'SALE_CAP', amount: '27000' },
    ]);
  });

  it('refuses a buyer who owns a link that the sale would reward, if the policy excludes that', async () => {
    const as = (buyer: number, nodeId?: string) =>
      preview({ campaignId: '8', ...(nodeId && { nodeId }), buyer: account(buyer) });
    const own = await as(91, '82');
    expect(own).toMatchObject({ excludesSelfReferral: true, buyable: false });
    expect(own.refusals).toEqual([
      { code: 'SELF_REFERRAL', message: expect.stringContaining('owns link 81') },
    ]);
    // The third level of the path is not rewarded, a direct sale rewards no one, and no one is named.
    for (const allowed of [await as(90, '82'), await as(92), await as(500, '82')]) {
      expect(allowed).toMatchObject({ buyable: true, refusals: [] });
    }
    expect(await preview({ campaignId: '8', nodeId: '82' })).toMatchObject({ buyable: true });
    const owner = { campaignId: '1', nodeId: '4', buyer: account(14) };
    expect(await preview(owner)).toMatchObject({ excludesSelfReferral: false, buyable: true });
    const client = await fixture.clientAs(account(92));
    const order = { ...{ campaignId: '8', orderKey: hash('own') }, maxAmount: '1000000' };
    await expect(
      client.checkout.createIntent({ ...order, nodeId: '82', minPolicyVersion: 1 }),
    ).rejects.toMatchObject({
      code: 'UNPROCESSABLE',
      message: expect.stringContaining('refuses self-referral'),
    });
  });

  it('prices a variant by its id, and any SKU by its hash, at the chain’s newest price', async () => {
    const variant = { id: 'v1', name: 'Half a kilo' };
    const byId = await preview({ campaignId: '1', variantId: 'v1' });
    expect(byId).toMatchObject({ variant, skuHash: derived, price: '600000' });
    expect(await preview({ campaignId: '1', skuHash: derived })).toEqual(byId);
    const card = await preview({ campaignId: '1', skuHash: hash('gift card') });
    expect(card).toMatchObject({ variant: null, price: '80000', maxAmount: '80000' });
    const upper = `0x${hash('gift card').slice(2).toUpperCase()}` as const;
    expect(await preview({ campaignId: '1', skuHash: upper })).toEqual(card);
  });

  it('uses the SKU that a merchant gave a variant', async () => {
    const product = {
      id: 'p-second',
      merchantId: 'm-acme',
      skuHash: hash('sku 3'),
      title: 'Cards',
      summary: '',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
    } as const;
    const own = { id: 'own', name: 'Own', priceBaseUnits: '1', skuHash: hash('sku 3') };
    await saveProduct(fixture.pool, { ...product, variants: [own] });
    const data = await preview({ campaignId: '3', variantId: 'own' });
    expect(data).toMatchObject({ skuHash: hash('sku 3'), price: '1000000' });
  });

  it('checkout.preview returns 404 for unknown SKUs, variants, nodes and campaigns', async () => {
    const missing: Input[] = [
      { campaignId: '99' },
      { campaignId: '1', skuHash: hash('nothing') },
      { campaignId: '1', variantId: 'v2' },
      { campaignId: '1', nodeId: '5' },
      { campaignId: '1', nodeId: '99' },
      { campaignId: '1', nodeId: 'demo-x' },
      { campaignId: '1', nodeId: '9'.repeat(78) },
    ];
    for (const input of missing) {
      await expect(preview(input), JSON.stringify(input)).rejects.toMatchObject({ status: 404 });
    }
  });

  it('refuses a variant and a SKU that do not belong together', async () => {
    const input = { campaignId: '1', variantId: 'v1', skuHash: hash('sku 1') };
    await expect(preview(input)).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'variantId' }],
    });
  });

  it('returns the reason if the product cannot be bought', async () => {
    expect(await refused('2')).toEqual(['PAID_ELSEWHERE']);
    expect((await preview({ campaignId: '2' })).buy).toBeNull();
    expect(await refused('4')).toEqual(['NOT_FUNDED', 'NOT_STARTED']);
    expect(await refused('5')).toEqual(['PAUSED']);
    expect(await refused('6')).toEqual(['ENDED', 'SOLD_OUT']);
    expect(await refused('7')).toEqual(['EXPIRED']);
  });

  it('returns the reason if the campaign is hidden or its merchant has closed', async () => {
    await moderate(fixture.pool, 'hide', '1', 'Reported as fake.');
    await fixture.pool`update commerce.merchant set closed_at = now() where id = 'm-acme'`;
    const { refusals } = await preview({ campaignId: '1' });
    await fixture.pool`update commerce.merchant set closed_at = null`;
    await moderate(fixture.pool, 'unhide', '1');
    expect(refusals).toEqual([
      { code: 'HIDDEN', message: 'Reported as fake.' },
      { code: 'MERCHANT_CLOSED', message: 'Acme Coffee no longer sells through this service.' },
    ]);
  });
});
