import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import type { InputOf, MethodOf } from '../../engine/contract/types.ts';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { normalizeText } from '../../engine/db/read/search/text.ts';
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

  function nameOf(item: Awaited<ReturnType<typeof find>>[number]) {
    return 'title' in item
      ? item.title
      : 'displayName' in item
        ? item.displayName
        : 'name' in item && item.name;
  }

  async function find(q: string, more: Omit<InputOf<MethodOf<'search.find'>>, 'q'> = {}) {
    return (await client.search.find({ q, ...more })).data.items;
  }

  it('finds campaigns, products and merchants by the beginnings of words', async () => {
    expect(await find('mount bea')).toEqual([
      {
        type: 'campaign',
        match: 'words',
        campaignId: '1',
        title: 'Mountain beans',
        merchant: { name: 'Acme Coffee', slug: 'acme', address: MERCHANT },
      },
      {
        type: 'product',
        match: 'words',
        id: 'p-beans',
        title: 'Mountain beans',
        summary: 'A kilo of slow roasted beans.',
        merchant: { name: 'Acme Coffee', slug: 'acme', address: MERCHANT },
      },
    ]);
    const merchants = await find('ACME', { types: ['merchant'] });
    expect(merchants).toEqual([
      {
        type: 'merchant',
        match: 'prefix',
        name: 'Acme Coffee',
        slug: 'acme',
        address: MERCHANT,
      },
    ]);
    const symbol = await find('50%_o', { types: ['campaign'] });
    expect(symbol).toMatchObject([{ campaignId: '2' }]);
    expect(await find('mountain tea', { types: ['campaign', 'product'] })).toMatchObject([
      { type: 'campaign', match: 'similar' },
      { type: 'product', match: 'similar' },
    ]);
    expect(await find('!!!')).toEqual([]);
  });

  it('finds names as people type them: without hyphens, accents and capitals, and mistyped', async () => {
    const found = async (q: string) =>
      (await find(q)).map((one) => `${one.type} ${one.match}: ${nameOf(one)}`);
    expect(await found('coffee reader')).toEqual(['distributor exact: Coffee Reader']);
    expect(await found('COFFEE-READER')).toEqual(await found('coffee reader'));
    expect(await found('cofee reeder')).toContain('distributor similar: Coffee Reader');
    expect(await found('Café ACME')).toContain('merchant similar: Acme Coffee');
    expect(await found('acme')).toEqual([
      'merchant prefix: Acme Coffee',
      'campaign mentioned: Mountain beans',
      expect.stringMatching(/^campaign mentioned: SKU /),
    ]);
    expect(await found('montain beens')).toEqual([
      'campaign similar: Mountain beans',
      'product similar: Mountain beans',
    ]);
    expect(await found('xylophone')).toEqual([]);
  });

  it('finds words of a description, after those that have them in their name', async () => {
    await saveProduct(fixture.pool, {
      id: 'p-roasted',
      merchantId: 'm-acme',
      skuHash: hash('sku 3'),
      title: 'Roasted almonds',
      summary: '',
      outcome: 'A snack for long evenings.',
      description: 'Salted by hand in Crémieu.',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
    });
    const types = ['product' as const];
    expect((await find('roasted', { types })).map(({ match }) => match)).toEqual([
      'prefix',
      'mentioned',
    ]);
    expect(await find('cremieu hand', { types })).toMatchObject([
      { match: 'mentioned', id: 'p-roasted' },
    ]);
    expect(await find('evenings', { types })).toMatchObject([{ id: 'p-roasted' }]);
    expect(await find('almonds roasted', { types })).toMatchObject([
      { match: 'words', id: 'p-roasted' },
    ]);
    await fixture.pool`update commerce.product set status = 'draft' where id = 'p-roasted'`;
    expect(await find('almonds', { types })).toEqual([]);
  });

  it('compares texts in the database as it reads what was typed', async () => {
    const texts = [
      'North-Wind  Newsletter',
      'Crème brûlée & Co.',
      'ＦＵＬＬ width',
      '  50%_OFF! ',
      'Ångström’s [lab]',
      '日本 コーヒー',
      '\\`~{|}',
    ];
    const rows = await fixture.pool<{ text: string }[]>`
      select commerce.search_text(one) as text
      from unnest(${texts}::text[]) with ordinality each (one, n) order by n`;
    expect(rows.map(({ text }) => text)).toEqual(texts.map(normalizeText));
  });

  it('finds a sale, a link, a block and a campaign by number, and a link by its code', async () => {
    expect(await find('4')).toMatchObject([
      { type: 'sale', match: 'exact', chainId: CHAIN_ID, saleId: '4', campaignId: '2' },
      {
        type: 'link',
        nodeId: '4',
        campaignId: '1',
        owner: account(14),
        ownerName: 'Coffee Reader',
      },
      { type: 'block', number: '4' },
    ]);
    expect(await find('2', { types: ['campaign'] })).toMatchObject([{ campaignId: '2' }]);
    expect(await find('2', { types: ['block', 'sale'], limit: 1 })).toHaveLength(2);
    const code = encodeReferralCode('7') ?? '';
    expect(await find(code, { types: ['link'] })).toEqual([
      {
        type: 'link',
        match: 'exact',
        nodeId: '7',
        campaignId: '3',
        code,
        owner: account(17),
        ownerName: null,
      },
    ]);
    expect(await find('999999')).toEqual([]);
    expect(await find('9'.repeat(30))).toEqual([]);
  });

  it('finds accounts by address, transactions and campaigns by hash, in any case', async () => {
    const upper = (hex: string) => `0x${hex.slice(2).toUpperCase()}`;
    expect(await find(upper(MERCHANT))).toEqual([
      {
        type: 'account',
        match: 'exact',
        address: MERCHANT,
        name: 'Acme Coffee',
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
      {
        type: 'transaction',
        match: 'exact',
        hash: fact?.transactionHash,
        blockNumber: String(fact?.blockNumber),
      },
    ]);
    expect(await find(upper(hash('order 5')))).toMatchObject([
      { type: 'sale', chainId: CHAIN_ID, saleId: '5', campaignId: '3', amount: '1000000' },
    ]);
    for (const name of ['terms 3', 'metadata 3']) {
      expect(await find(hash(name))).toMatchObject([{ type: 'campaign', campaignId: '3' }]);
    }
    expect(await find(hash('nothing'))).toEqual([]);
  });

  it('finds accounts, transactions and orders by the beginning of their hash, from 4 digits on', async () => {
    const [fact] = history.facts.filter(({ name }) => name === 'SaleRefunded');
    const sent = fact?.transactionHash ?? '';
    for (const length of [6, 7, 8, 19, 22, 23, 65]) {
      const items = await find(sent.slice(0, length), { types: ['transaction'], limit: 20 });
      expect(items, String(length)).toContainEqual({
        type: 'transaction',
        match: 'prefix',
        hash: sent,
        blockNumber: String(fact?.blockNumber),
      });
      for (const item of items) expect(JSON.stringify(item)).toContain(sent.slice(0, length));
    }
    const order = hash('order 5').slice(0, 11);
    expect(await find(order)).toMatchObject([{ type: 'sale', match: 'prefix', saleId: '5' }]);
    // Accounts of these tests differ in their last digits alone.
    const beginning = account(14).slice(0, 41);
    const accounts = await find(beginning, { types: ['account'] });
    expect(accounts).toContainEqual({
      type: 'account',
      match: 'prefix',
      address: account(14),
      name: 'Coffee Reader',
      isMerchant: false,
      isDistributor: true,
      isBuyer: false,
    });
    expect(await find(MERCHANT.slice(0, 41), { types: ['account'] })).toMatchObject([
      { address: MERCHANT, isMerchant: true },
      { isMerchant: true },
    ]);
    expect(await find(MERCHANT.slice(2))).toEqual(await find(MERCHANT));
    expect(await find(sent.slice(0, 5))).toEqual([]);
  });

  it('finds handles of public distributors only', async () => {
    expect(await find('coffee', { types: ['distributor'] })).toEqual([
      {
        type: 'distributor',
        match: 'prefix',
        handle: 'coffee-reader',
        displayName: 'Coffee Reader',
        address: account(14),
      },
    ]);
    expect(await find('coffee-secret', { types: ['distributor'] })).toEqual([
      expect.objectContaining({ handle: 'coffee-reader', match: 'similar' }),
    ]);
    expect(await find('somebody')).toEqual([]);
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
