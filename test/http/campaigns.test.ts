import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveMerchant } from '../../engine/db/commerce/save-merchant.ts';
import { saveProduct } from '../../engine/db/commerce/save-product.ts';
import { account, hash } from '../support/history.ts';
import { ApiFixture, CHAIN_ID } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { moderate } from './support/moderate.ts';
import { saveProfiles, smallHistory } from './support/small-history.ts';

describe('a campaign', () => {
  let fixture: ApiFixture;
  let lastTime: number;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const { history, marks } = smallHistory();
    lastTime = marks.lastTime;
    await fixture.settle(history.facts);
    await saveProfiles(fixture.pool);
  });
  afterAll(() => fixture.close());

  function get(campaignId: string) {
    return fixture.client().campaigns.get({ campaignId });
  }

  it('serves a campaign with its ledgers, counts, policy and product, to the unit', async () => {
    const { data } = await get('1');
    expect(data).toMatchObject({
      campaignId: '1',
      chainId: CHAIN_ID,
      state: 'FUNDED_ACTIVE',
      merchant: { name: 'Acme Coffee', slug: 'acme', address: account(1_000) },
      price: '1000000',
      rewardTotal: '10000000',
      rewardAvailable: '9940000',
      rewardLedger: {
        netDeposited: '10000000',
        available: '9940000',
        pendingReserved: '0',
        vestedUnclaimed: '30000',
        rewardsClaimed: '30000',
        surplusWithdrawn: '0',
      },
      proceedsLedger: {
        proceedsPending: '1000000',
        proceedsClaimable: '600000',
        proceedsClaimed: '0',
        buyerRefunded: '1400000',
      },
      counts: { pending: 1, finalized: 1, refunded: 1 },
      settledSales: 1,
      nodeCount: 4,
      capacity: { nodes: 1_000, sales: 1_000 },
      moderation: { hidden: false, reason: null },
      metadataHash: hash('metadata 1'),
    });
    expect(data.policy).toMatchObject({ version: 1, commissionBps: 1_000, regions: ['EU'] });
    expect(data.policy.registrationTx?.blockNumber).toBe('100');
    expect(data.onchainUrl).toBe(
      `ethereum:${account(0xc0ffee)}@${CHAIN_ID}/campaignLedger?uint256=1`,
    );
  });

  it('hides the deliverable of a campaign’s product, and the location of a download', async () => {
    const { data } = await get('1');
    expect(data.product).toMatchObject({ id: 'p-beans', version: 1, fulfillmentMode: 'download' });
    expect(data.product.media.map(({ url }) => url)).toEqual(['https://img.example/1', undefined]);
    expect(JSON.stringify(data)).not.toMatch(/secret|dl\.example/);
  });

  it('serves a campaign without profile or product with the data of the chain', async () => {
    const { data } = await get('2');
    expect(data.merchant).toEqual({
      name: '0x0000…03e9',
      slug: account(1_001),
      address: account(1_001),
    });
    expect(data.product).toMatchObject({
      category: 'other',
      fulfillmentMode: 'manual',
      skuHash: hash('sku 2'),
      priceBaseUnits: '1000000',
    });
    expect(data.product.id).toMatch(/^[A-Za-z0-9_-]{1,100}$/);
    expect(data.token).toEqual({ address: account(1), symbol: '50%_OFF', decimals: 6 });
  });

  it('links to the block explorer if one is configured', async () => {
    const deployment = { ...fixture.deps.deployment, explorerUrl: 'https://scan.example' };
    const { data } = await fixture.client({ deployment }).campaigns.get({ campaignId: '1' });
    expect(data.onchainUrl).toBe(`https://scan.example/tx/${data.creationTx.hash}`);
    expect(data.creationTx.explorerUrl).toBe(data.onchainUrl);
  });

  it('returns the fundings of a campaign, newest first', async () => {
    const { data } = await get('3');
    expect(data.fundingTxs).toHaveLength(2);
    expect(data.fundingTxs[0]?.hash).not.toBe(data.fundingTxs[1]?.hash);
  });

  it('returns the policy in effect and those that are scheduled', async () => {
    const { data } = await fixture.client().campaigns.policy({ campaignId: '3' });
    expect(data.current).toMatchObject({ version: 1, perSaleCap: '10000', salesCount: 1 });
    expect(data.scheduled).toMatchObject([{ version: 2, commissionBps: 500, salesCount: 0 }]);
  });

  it('changes the policy by the settled clock, not by the system clock', async () => {
    const waiting = await fixture.client().campaigns.policy({ campaignId: '3' });
    const due = Date.parse(waiting.data.scheduled[0]?.effectiveAt ?? '') / 1_000;
    expect(due).toBeGreaterThan(lastTime);
    await fixture.pool`update ledger.head set settled_timestamp = ${due}`;
    const { data } = await fixture.client().campaigns.policy({ campaignId: '3' });
    await fixture.pool`update ledger.head set settled_timestamp = ${lastTime}`;
    expect(data).toMatchObject({ current: { version: 2 }, scheduled: [] });
  });

  it('returns 404 for a campaign that does not exist', async () => {
    for (const id of ['0', '4', 'demo-x', '9'.repeat(78), '9223372036854775808']) {
      await expect(get(id)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' });
    }
  });

  it('leaves a hidden campaign out of lists, and serves it by its id with the reason', async () => {
    await moderate(fixture.pool, 'hide', '2', 'Reported as fake.');
    const { campaigns, receipts } = fixture.client();
    const { data } = await campaigns.list({});
    expect(data.items.map(({ campaignId }) => campaignId).sort()).toEqual(['1', '3']);
    expect(data.total).toBe(2);
    const recent = await receipts.recent({});
    expect(recent.data.items.every(({ campaignId }) => campaignId !== '2')).toBe(true);
    expect((await get('2')).data.moderation).toEqual({
      hidden: true,
      reason: 'Reported as fake.',
    });
    await moderate(fixture.pool, 'unhide', '2');
    expect((await campaigns.list({})).data.total).toBe(3);
  });

  it('retains a product’s version until one of its fields changes', async () => {
    await saveProfiles(fixture.pool);
    expect((await get('1')).data.product.version).toBe(1);
    const again = { id: 'p-beans', merchantId: 'm-acme', skuHash: hash('sku 1'), price: 5n };
    await saveProduct(fixture.pool, {
      ...again,
      title: 'Mountain beans II',
      summary: '',
      category: 'food',
      fulfillmentMode: 'external',
    });
    expect((await get('1')).data.product).toMatchObject({ version: 2, title: 'Mountain beans II' });
    await saveProfiles(fixture.pool);
  });
});

describe('the list of campaigns', () => {
  let fixture: ApiFixture;
  const history = new HistoryBuilder();

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const now = history.time + 24;
    for (let id = 1; id <= 12; id += 1) {
      const name = String(id);
      history.create(name, {
        merchant: account(1_000 + (id % 3)),
        tokenSymbol: id === 7 ? 'EUR%' : 'TUSD',
        token: account(id === 7 ? 2 : 1),
        inviteOnly: id === 5,
        trustMode: id === 6 ? 'THIRD_PARTY_VERIFIED' : 'NATIVE_ONCHAIN',
        startsAt: id === 2 ? now + 1 : id === 3 ? now : 0,
        endsAt: id === 4 ? now : 4_000_000_000,
      });
      history.schedule(name, {
        commissionBps: id <= 6 ? 1_000 : 1_000 + id,
        holdSeconds: id % 2 === 0 ? 60 : 600,
        ...(id === 8
          ? { maxRewardedAncestors: 5, weightsBps: [2_000, 2_000, 2_000, 2_000, 2_000] }
          : {}),
        ...(id === 9 ? { expiry: now } : {}),
      });
      if (id !== 1) history.fund(name, BigInt(id <= 6 ? 500 : id * 1_000));
    }
    history.nextBlock();
    history.add('10', { name: 'CampaignPaused', args: {} });
    history.add('11', { name: 'CampaignEnded', args: {} });
    history.nextBlock();
    history.add('12', {
      name: 'CapacityRaised',
      args: { nodeCapacity: 2_000, saleCapacity: 2_000 },
    });
    expect(history.time).toBe(now);
    await fixture.settle(history.facts);
    await saveMerchant(fixture.pool, {
      id: 'm',
      address: account(1_001),
      slug: 'blue-bottle',
      name: "O'Neill & Söhne",
    });
    await saveProduct(fixture.pool, {
      id: 'p',
      merchantId: 'm',
      skuHash: hash('sku 4'),
      title: 'Café 100% arabica_beans',
      summary: 'Dark roast',
      category: 'food',
      fulfillmentMode: 'manual',
      price: 1n,
    });
  });
  afterAll(() => fixture.close());

  type Filters = NonNullable<Parameters<ReturnType<ApiFixture['client']>['campaigns']['list']>[0]>;

  async function ids(filters: Filters): Promise<string[]> {
    const { data } = await fixture.client().campaigns.list({ limit: 100, ...filters });
    expect(data.total).toBe(data.items.length);
    return data.items.map(({ campaignId }) => campaignId);
  }

  it('filters by status at the settled clock', async () => {
    const newest = { sort: 'newest' } as const;
    expect(await ids({ ...newest, status: 'active' })).toEqual(['12', '8', '7', '6', '5', '3']);
    expect(await ids({ ...newest, status: 'not_live' })).toEqual(['2', '1']);
    expect(await ids({ ...newest, status: 'paused' })).toEqual(['10']);
    expect(await ids({ ...newest, status: 'ended' })).toEqual(['11']);
    expect(await ids({ ...newest, status: 'expired' })).toEqual(['9', '4']);
    const { data } = await fixture.client().campaigns.list({ sort: 'newest' });
    expect(data.items.map(({ state }) => state)).toEqual([
      ...['FUNDED_ACTIVE', 'ENDED', 'PAUSED', 'EXPIRED', 'FUNDED_ACTIVE', 'FUNDED_ACTIVE'],
      ...['FUNDED_ACTIVE', 'FUNDED_ACTIVE', 'EXPIRED', 'FUNDED_ACTIVE', 'FUNDED_ACTIVE'],
      'CREATED_UNFUNDED',
    ]);
  });

  it('filters by rate, levels, hold, budget, source and invitation, bounds included', async () => {
    expect(await ids({ rateMin: 1_011, sort: 'newest' })).toEqual(['12', '11']);
    expect(await ids({ rateMin: 1_007, rateMax: 1_008, sort: 'newest' })).toEqual(['8', '7']);
    expect(await ids({ levels: 5 })).toEqual(['8']);
    expect(await ids({ holdMax: 60, sort: 'newest' })).toEqual(['12', '10', '8', '6', '4', '2']);
    expect(await ids({ holdMax: 59 })).toEqual([]);
    expect(await ids({ holdMax: Number.MAX_SAFE_INTEGER })).toHaveLength(12);
    expect(await ids({ budgetLeftMin: '12000' })).toEqual(['12']);
    expect(await ids({ budgetLeftMin: '9'.repeat(78) })).toEqual([]);
    expect(await ids({ source: 'THIRD_PARTY_VERIFIED' })).toEqual(['6']);
    expect(await ids({ invitationOnly: true })).toEqual(['5']);
    expect(await ids({ invitationOnly: false })).toHaveLength(11);
    expect(await ids({ excludeJoined: false })).toHaveLength(12);
  });

  it('filters by merchant and category', async () => {
    const own = ['10', '7', '4', '1'];
    expect(await ids({ merchant: 'blue-bottle', sort: 'newest' })).toEqual(own);
    expect(await ids({ merchant: account(1_001).toUpperCase().replace('0X', '0x') })).toHaveLength(
      4,
    );
    expect(await ids({ merchant: 'nobody' })).toEqual([]);
    expect(await ids({ category: 'food' })).toEqual(['4']);
    expect(await ids({ category: 'other' })).toHaveLength(11);
    expect(await ids({ category: 'books' })).toEqual([]);
  });

  it('finds words, symbols, addresses and ids, and treats no character as a command', async () => {
    expect(await ids({ q: 'caf' })).toEqual(['4']);
    expect(await ids({ q: '  ARABICA  dark ' })).toEqual(['4']);
    expect(await ids({ q: 'söhne arabica' })).toEqual(['4']);
    expect(await ids({ q: 'blue', sort: 'newest' })).toEqual(['10', '7', '4', '1']);
    expect(await ids({ q: 'eur%' })).toEqual(['7']);
    expect(await ids({ q: 'eur' })).toEqual(['7']);
    expect(await ids({ q: 'e_r' })).toEqual([]);
    expect(await ids({ q: '%' })).toEqual([]);
    expect(await ids({ q: '12' })).toEqual(['12']);
    expect(await ids({ q: account(2) })).toEqual(['7']);
    expect(await ids({ q: account(1_002), sort: 'newest' })).toEqual(['11', '8', '5', '2']);
    expect(await ids({ q: 'nothing like it' })).toEqual([]);
    const odd = ["'; drop table ledger.sale; --", "' | ! & ( :* <->", '\\', '%_%', '"', '\u0001'];
    for (const q of [...odd, "O'Neill", 'a'.repeat(200), '9'.repeat(40), '😀', '100%']) {
      const { data } = await fixture.client().campaigns.list({ q });
      expect(data.total).toBe(data.items.length);
      for (const field of ['category', 'merchant'] as const) {
        expect((await fixture.client().campaigns.list({ [field]: q })).data.total).toBe(0);
      }
    }
  });

  it('sorts by each key, ties by the newer campaign', async () => {
    expect(await ids({ sort: 'newest' })).toEqual([
      '12',
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
    expect(await ids({ sort: 'reward' })).toEqual([
      '12',
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
    expect(await ids({ sort: 'budget' })).toEqual([
      '12',
      '11',
      '10',
      '9',
      '8',
      '7',
      '6',
      '5',
      '4',
      '3',
      '2',
      '1',
    ]);
    expect(await ids({ sort: 'hold' })).toEqual([
      '12',
      '10',
      '8',
      '6',
      '4',
      '2',
      '11',
      '9',
      '7',
      '5',
      '3',
      '1',
    ]);
    const balanced = await fixture.client().campaigns.list({ limit: 100 });
    expect(balanced.data.items).toEqual(
      (await fixture.client().campaigns.list({ limit: 100, sort: 'balanced' })).data.items,
    );
    expect(balanced.data.items[0]?.rankReasons[0]).toMatch(/^Pays .* % of each sale as reward\.$/);
  });

  it('returns each campaign once over pages of any size, including ties', async () => {
    const client = fixture.client();
    for (const sort of ['balanced', 'newest', 'reward', 'budget', 'hold'] as const) {
      const whole = await ids({ sort });
      for (const limit of [1, 2, 5, 12]) {
        const seen: string[] = [];
        for await (const { campaignId } of client.pages(client.campaigns.list, { sort, limit })) {
          seen.push(campaignId);
        }
        expect(seen, `${sort} by ${limit}`).toEqual(whole);
      }
    }
  });

  it('counts the whole filter on every page', async () => {
    const { campaigns } = fixture.client();
    const first = await campaigns.list({ limit: 5, holdMax: 60 });
    expect(first.data).toMatchObject({ total: 6 });
    const second = await campaigns.list({
      limit: 5,
      holdMax: 60,
      cursor: first.data.nextCursor ?? '',
    });
    expect(second.data).toMatchObject({ total: 6, nextCursor: null });
    expect(second.data.items).toHaveLength(1);
  });

  it('requires a session to leave out campaigns that the caller joined', async () => {
    await expect(fixture.client().campaigns.list({ excludeJoined: true })).rejects.toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
    });
  });

  it('lists no campaign from after the settled block', async () => {
    await fixture.pool`update ledger.head set settled_number = 99`;
    const { data } = await fixture.client().campaigns.list({});
    await fixture.pool`update ledger.head set settled_number = ${history.block}`;
    expect(data).toEqual({ items: [], nextCursor: null, total: 0 });
  });
});
