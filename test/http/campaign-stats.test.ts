import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { account, hash } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { HistoryBuilder } from './support/facts.ts';
import { type Marks, smallHistory } from './support/small-history.ts';

describe('campaigns.stats and campaigns.activity', () => {
  let fixture: ApiFixture;
  let marks: Marks;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const history = smallHistory();
    marks = history.marks;
    await fixture.settle(history.history.facts);
  });
  afterAll(() => fixture.close());

  async function stats(campaignId: string) {
    return (await fixture.client().campaigns.stats({ campaignId })).data;
  }

  it('campaigns.stats and campaigns.activity add up sales, value and rewards to the unit', async () => {
    expect(await stats('1')).toEqual({
      campaignId: '1',
      token: { address: account(1), symbol: 'TUSD', decimals: 6, name: 'Test Dollar' },
      sales: {
        recorded: 3,
        pending: 1,
        settled: 1,
        refunded: 1,
        reversed: 0,
        direct: 1,
        referred: 2,
      },
      value: { recorded: '3000000', settled: '600000', refunded: '1400000' },
      rewards: {
        atRisk: '0',
        readyToFinalize: '0',
        claimable: '30000',
        claimed: '30000',
        refunded: '140000',
        reversed: '0',
      },
      levels: [
        { level: 1, sales: 2, shares: '150000' },
        { level: 2, sales: 1, shares: '30000' },
        { level: 3, sales: 1, shares: '20000' },
      ],
      buyers: 1,
      nodes: 4,
      distributors: 4,
      sellingNodes: 2,
      medianSecondsToFinalize: 712,
      firstSaleAt: '2023-11-14T22:13:44.000Z',
      lastSaleAt: '2023-11-14T22:13:44.000Z',
    });
  });

  it('campaigns.stats and campaigns.activity count reversed sales, and sales that wait to be finalized', async () => {
    expect(await stats('2')).toMatchObject({
      sales: { recorded: 1, settled: 0, reversed: 1 },
      rewards: { claimable: '0', reversed: '200000' },
    });
    expect(await stats('3')).toMatchObject({
      rewards: { atRisk: '0', readyToFinalize: '8000' },
      medianSecondsToFinalize: null,
    });
  });

  it('campaigns.stats and campaigns.activity move a reward from at risk to ready by the settled clock', async () => {
    await fixture.pool`update ledger.head set settled_timestamp = 1700000000`;
    const early = await stats('3');
    await fixture.pool`update ledger.head set settled_timestamp = ${marks.lastTime}`;
    expect(early.rewards).toMatchObject({ atRisk: '8000', readyToFinalize: '0' });
  });

  it('campaigns.stats and campaigns.activity are empty for a campaign that has sold nothing', async () => {
    const quiet = await ApiFixture.open();
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    await quiet.settle(history.facts);
    const { data } = await quiet.client().campaigns.stats({ campaignId: '1' });
    await quiet.close();
    expect(data).toMatchObject({
      sales: { recorded: 0, direct: 0, referred: 0 },
      value: { recorded: '0' },
      rewards: { atRisk: '0', refunded: '0' },
      levels: [],
      buyers: 0,
      medianSecondsToFinalize: null,
      firstSaleAt: null,
    });
  });

  it('campaigns.stats and campaigns.activity list every event, newest first, with its account and amount', async () => {
    const { data } = await fixture.client().campaigns.activity({ campaignId: '1', limit: 3 });
    expect(data.items).toMatchObject([
      { name: 'RewardsClaimed', account: account(14), amount: '30000', saleId: null, nodeId: null },
      { name: 'SaleFinalized', saleId: '1', account: null, amount: null },
      { name: 'RewardVested', saleId: '1', nodeId: '2', account: account(12), amount: '12000' },
    ]);
    const all = [];
    const { campaigns, pages } = fixture.client();
    for await (const one of pages(campaigns.activity, { campaignId: '1', limit: 5 })) all.push(one);
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_, i) => all.length - i));
    expect(all.at(-1)).toMatchObject({
      name: 'CampaignCreated',
      account: account(1_000),
      amount: '1000000',
      args: { skuHash: hash('sku 1') },
    });
    expect(all.find(({ saleId, name }) => saleId === '2' && name === 'SaleRecorded')).toMatchObject(
      {
        nodeId: null,
        account: account(500),
        amount: '1000000',
      },
    );
  });

  it('campaigns.stats and campaigns.activity refuse a cursor of another campaign, and unknown campaigns', async () => {
    const { campaigns } = fixture.client();
    const { data } = await campaigns.activity({ campaignId: '1', limit: 1 });
    const cursor = data.nextCursor ?? '';
    await expect(campaigns.activity({ campaignId: '2', cursor })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'cursor' }],
    });
    for (const campaignId of ['0', '99', 'demo-x', '9'.repeat(78)]) {
      await expect(campaigns.stats({ campaignId })).rejects.toMatchObject({ status: 404 });
      await expect(campaigns.activity({ campaignId })).rejects.toMatchObject({ status: 404 });
    }
  });
});
