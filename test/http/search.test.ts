import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import type { InputOf, MethodOf } from '../../engine/contract/types.ts';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

const MERCHANT = account(1_000);

describe('search.find', () => {
  const { history } = smallHistory();
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
    await fixture.pool`
      insert into commerce.distributor (address, handle, display_name, visibility) values
        (${account(14)}, 'coffee-reader', 'Coffee Reader', 'public'),
        (${account(13)}, 'coffee-secret', 'Somebody', 'pseudonymous')`;
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  async function find(q: string, more: Omit<InputOf<MethodOf<'search.find'>>, 'q'> = {}) {
    return (await client.search.find({ q, ...more })).data.items;
  }

  it('finds campaigns, products and merchants by the beginnings of words', async () => {
    expect(await find('mount bea')).toEqual([
      {
        type: 'campaign',
        campaignId: '1',
        title: 'Mountain beans',
        merchant: { name: 'Acme Coffee', slug: 'acme', address: MERCHANT },
      },
      {
        type: 'product',
        id: 'p-beans',
        title: 'Mountain beans',
        summary: 'A kilo of slow roasted beans.',
        merchant: { name: 'Acme Coffee', slug: 'acme', address: MERCHANT },
      },
    ]);
    const merchants = await find('ACME', { types: ['merchant'] });
    expect(merchants).toEqual([
      { type: 'merchant', name: 'Acme Coffee', slug: 'acme', address: MERCHANT },
    ]);
    const symbol = await find('50%_o', { types: ['campaign'] });
    expect(symbol).toMatchObject([{ campaignId: '2' }]);
    expect(await find('mountain tea')).toEqual([]);
    expect(await find('!!!')).toEqual([]);
  });

  it('finds a sale, a link, a block and a campaign by number, and a link by its code', async () => {
    expect(await find('4')).toMatchObject([
      { type: 'sale', chainId: CHAIN_ID, saleId: '4', campaignId: '2' },
      { type: 'link', nodeId: '4', campaignId: '1', owner: account(14) },
      { type: 'block', number: '4' },
    ]);
    expect(await find('2', { types: ['campaign'] })).toMatchObject([{ campaignId: '2' }]);
    expect(await find('2', { types: ['block', 'sale'], limit: 1 })).toHaveLength(2);
    const code = encodeReferralCode('7') ?? '';
    expect(await find(code, { types: ['link'] })).toEqual([
      { type: 'link', nodeId: '7', campaignId: '3', code, owner: account(17) },
    ]);
    expect(await find('999999')).toEqual([]);
    expect(await find('9'.repeat(30))).toEqual([]);
  });

  it('finds accounts by address, transactions and campaigns by hash, in any case', async () => {
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
    expect(await find(upper(MERCHANT))).toEqual([
      {
        type: 'account',
        address: MERCHANT,
        isMerchant: true,
        isDistributor: false,
        isBuyer: false,
      },
    ]);
    expect(await find(account(500))).toMatchObject([{ isMerchant: false, isBuyer: true }]);
    expect(await find(account(14))).toMatchObject([{ isDistributor: true }]);
    expect(await find(account(9_999))).toEqual([]);
    const [fact] = history.facts.filter(({ name }) => name === 'SaleRefunded');
    expect(await find(upper(fact?.transactionHash ?? ''))).toEqual([
      { type: 'transaction', hash: fact?.transactionHash, blockNumber: String(fact?.blockNumber) },
    ]);
    expect(await find(upper(hash('order 5')))).toEqual([
      { type: 'sale', chainId: CHAIN_ID, saleId: '5', campaignId: '3' },
    ]);
    for (const name of ['terms 3', 'metadata 3']) {
      expect(await find(hash(name))).toMatchObject([{ type: 'campaign', campaignId: '3' }]);
    }
    expect(await find(hash('nothing'))).toEqual([]);
  });

  it('finds handles of public distributors only', async () => {
    expect(await find('coffee', { types: ['distributor'] })).toEqual([
      {
        type: 'distributor',
        handle: 'coffee-reader',
        displayName: 'Coffee Reader',
        address: account(14),
      },
    ]);
    expect(await find('coffee-secret')).toEqual([]);
    expect(await find('%', { types: ['distributor'] })).toEqual([]);
  });

  it('finds no draft, and nothing of a campaign that lists do not show', async () => {
    const draft = {
      id: 'p-draft',
      merchantId: 'm-acme',
      skuHash: hash('sku 9'),
      title: 'Mountain tea',
    };
    await saveProduct(fixture.pool, {
      ...draft,
      summary: '',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
      status: 'draft',
    });
    expect(await find('tea')).toEqual([]);
    const [sold] = history.facts.filter(({ name }) => name === 'SaleRecorded');
    const things = [
      'mountain',
      '1',
      encodeReferralCode('1') ?? '',
      sold?.transactionHash ?? '',
      hash('terms 1'),
    ];
    const ofCampaign1 = async () =>
      (await Promise.all(things.map((q) => find(q)))).map(
        (items) => items.filter(({ type }) => type !== 'block').length,
      );
    const shown = await ofCampaign1();
    expect(shown.every((count) => count > 0)).toBe(true);
    await moderate(fixture.pool, 'hide', '1');
    expect(await ofCampaign1()).toEqual([0, 0, 0, 0, 0]);
    await moderate(fixture.pool, 'unhide', '1');
    expect(await ofCampaign1()).toEqual(shown);
    await fixture.pool`
      insert into commerce.campaign_settings (campaign_id, merchant, listed)
      values (1, ${MERCHANT}, false)`;
    expect(await ofCampaign1()).toEqual([0, 0, 0, 0, 0]);
  });
});
