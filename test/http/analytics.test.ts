import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import { account } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import {
  MERCHANT,
  marketHistory,
  OTHER_MERCHANT,
  OTHER_TOKEN,
  recordVisits,
  TOKEN,
} from './support/market.ts';

const day = (n: number, time = '00:00:00.000') => `2023-11-${String(n).padStart(2, '0')}T${time}Z`;
/** 15 and 16 November. */
const TWO_DAYS = { from: day(15), to: day(17) };

/** A point: when, sales pending, finalized and refunded, value, rewards, links. */
function point(
  at: string,
  [pending = 0, finalized = 0, refunded = 0]: number[],
  value: number,
  rewards: number,
  links: number,
) {
  const sales = { pending, finalized, refunded };
  return { at, sales, value: String(value), rewards: String(rewards), links };
}

// support/market.ts describes the history day by day.
describe('analytics', () => {
  let fixture: ApiFixture;
  let client: Client;
  let refunded: { block: number; at: number };

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    const market = marketHistory();
    refunded = { block: market.refunded, at: market.refundedAt };
    await fixture.settle(market.history.facts);
    await recordVisits(fixture.pool);
    client = await fixture.clientAs(MERCHANT);
    const discrepancies = await fixture.pool`select * from ledger.discrepancy`;
    expect([...discrepancies]).toEqual([]);
  });
  afterAll(() => fixture.close());

  it('analytics return a period day by day, equal to sums computed by hand', async () => {
    const { data, meta } = await client.analytics.merchant({ range: TWO_DAYS });
    expect(data).toEqual({
      period: TWO_DAYS,
      series: [
        // Sales 1, 2 and 3: of sale 1 600,000 are left; sale 3 was reversed and is worth nothing.
        point(day(15), [0, 3, 0], 1_600_000, 60_000, 1),
        // Sales 4, 5 and 6: sale 5 is in another token, sale 6 was refunded.
        point(day(16), [0, 2, 1], 500_000, 50_000, 0),
      ],
      totals: point(day(15), [0, 5, 1], 2_100_000, 110_000, 1),
      previousPeriodTotals: point(day(13), [], 0, 0, 3),
      depthMix: [
        { depth: 2, sales: 1, rewards: '60000' },
        { depth: 3, sales: 1, rewards: '50000' },
      ],
      networkGrowth: [
        point(day(15), [0, 3, 0], 1_600_000, 60_000, 4),
        point(day(16), [0, 5, 1], 2_100_000, 110_000, 4),
      ],
      funnel: [
        { stage: 'open', count: 6, estimate: true },
        { stage: 'join', count: 1, estimate: false },
        { stage: 'checkout', count: 2, estimate: false },
        { stage: 'sale', count: 6, estimate: false },
      ],
      // Node 4 joined, and made sale 4 in the same week.
      cohortGrid: [{ cohort: day(13), periods: [1] }],
      byCampaign: [
        { campaignId: '1', totals: point(day(15), [0, 3, 1], 2_100_000, 110_000, 1) },
        { campaignId: '3', totals: point(day(15), [0, 1, 0], 0, 0, 0) },
        { campaignId: '2', totals: point(day(15), [0, 1, 0], 0, 0, 0) },
      ],
    });
    expect(meta.token?.address).toBe(TOKEN);
    expect(meta.otherTokens?.map(({ address }) => address)).toEqual([OTHER_TOKEN]);
  });

  it('defaults to the 30 days up to the settled block', async () => {
    const { data } = await client.analytics.merchant();
    expect(data.period).toEqual({ from: '2023-10-22T00:00:00.000Z', to: day(21) });
    expect(data.series).toHaveLength(30);
    expect(data.series.filter(({ links, sales }) => links + sales.finalized > 0)).toEqual([
      point(day(14), [], 0, 0, 3),
      point(day(15), [0, 3, 0], 1_600_000, 60_000, 1),
      point(day(16), [0, 2, 1], 500_000, 50_000, 0),
      // Sales 8 and 9; sale 10 is pending, and worth nothing yet.
      point(day(20), [1, 2, 0], 500_000, 50_000, 1),
    ]);
    expect(data.totals).toEqual(
      point('2023-10-22T00:00:00.000Z', [1, 7, 1], 2_600_000, 160_000, 5),
    );
    expect(data.previousPeriodTotals).toBeNull();
    expect(data.networkGrowth.at(-1)).toEqual({ ...data.totals, at: day(20) });
    expect(data.depthMix).toEqual([
      { depth: 1, sales: 1, rewards: '30000' },
      { depth: 2, sales: 2, rewards: '80000' },
      { depth: 3, sales: 1, rewards: '50000' },
    ]);
    expect(data.cohortGrid).toEqual([
      // Nodes 1 to 4 made sales 1 and 4 in their week, and sale 9 in the next.
      { cohort: day(13), periods: [0.5, 0.25] },
      { cohort: day(20), periods: [1] },
    ]);
    expect(data.funnel.map(({ count }) => count)).toEqual([19, 5, 4, 9]);
  });

  it('analytics divide days at midnight UTC, and a period at its exact second', async () => {
    const { data } = await client.analytics.merchant({
      range: { from: day(15, '12:00:00.000'), to: day(16, '00:00:00.001') },
    });
    expect(data.series).toEqual([
      point(day(15, '12:00:00.000'), [0, 1, 0], 0, 0, 1),
      point(day(16), [0, 2, 1], 500_000, 50_000, 0),
    ]);
    // What went before it by as much ends where it begins: sales 1 and 2 were earlier still.
    expect(data.previousPeriodTotals?.at).toBe(day(14, '23:59:59.000'));
    expect(data.previousPeriodTotals?.sales.finalized).toBe(2);
    expect(data.networkGrowth[0]).toEqual(
      point(day(15, '12:00:00.000'), [0, 3, 0], 1_600_000, 60_000, 4),
    );
    const last = await client.analytics.merchant({
      range: { from: day(15, '00:00:00.001'), to: day(15, '23:59:59.000') },
    });
    expect(last.data.totals.sales).toEqual({ pending: 0, finalized: 0, refunded: 0 });
  });

  it('analytics are empty for a period of no length', async () => {
    const at = day(16);
    const { data } = await client.analytics.merchant({ range: { from: at, to: at } });
    expect(data).toMatchObject({
      series: [],
      totals: point(at, [], 0, 0, 0),
      previousPeriodTotals: point(at, [], 0, 0, 0),
      depthMix: [],
      networkGrowth: [],
      cohortGrid: [],
    });
    expect(data.funnel.map(({ count }) => count)).toEqual([0, 0, 0, 0]);
  });

  it('analytics of a campaign count only that campaign, in its own token, and compare it with others', async () => {
    const one = await client.analytics.campaign({
      campaignId: '1',
      campaignIds: ['2', '3'],
      range: TWO_DAYS,
    });
    expect(one.data.totals).toEqual(point(day(15), [0, 3, 1], 2_100_000, 110_000, 1));
    expect(one.data.byCampaign.map(({ campaignId }) => campaignId)).toEqual(['1', '3', '2']);
    expect(one.data.funnel.map(({ count }) => count)).toEqual([2, 1, 1, 4]);
    expect(one.meta.otherTokens).toEqual([]);
    const three = await client.analytics.campaign({ campaignId: '3', range: TWO_DAYS });
    expect(three.data.totals).toEqual(point(day(15), [0, 1, 0], 7_000_000, 0, 0));
    expect(three.meta.token?.address).toBe(OTHER_TOKEN);
    expect(three.data.byCampaign).toHaveLength(1);
  });

  it('analytics of some campaigns count only those', async () => {
    const { data } = await client.analytics.merchant({
      campaignIds: ['3', '2', '3'],
      range: TWO_DAYS,
    });
    expect(data.totals.sales).toEqual({ pending: 0, finalized: 2, refunded: 0 });
    expect(data.byCampaign.map(({ campaignId }) => campaignId)).toEqual(['3', '2']);
  });

  it('analytics are as of the settled block, whatever the rows contain beyond it', async () => {
    const last = await fixture.pool`select settled_number, settled_timestamp from ledger.head`;
    await fixture.pool`
      update ledger.head set settled_number = ${refunded.block},
        settled_timestamp = ${refunded.at}`;
    const { data, meta } = await client.analytics.merchant({ range: TWO_DAYS });
    await fixture.pool`
      update ledger.head set settled_number = ${last[0]?.settled_number},
        settled_timestamp = ${last[0]?.settled_timestamp}`;
    expect(data.totals).toEqual(point(day(15), [5, 0, 1], 0, 0, 1));
    expect(data.depthMix).toEqual([]);
    // No token has a settled sale yet: the lower address represents both.
    expect(meta.token?.address).toBe(TOKEN);
  });

  it('analytics contain only the merchant’s own campaigns', async () => {
    const theirs = (await (await fixture.clientAs(OTHER_MERCHANT)).analytics.merchant()).data;
    expect(theirs.totals).toMatchObject({ sales: { pending: 1 }, links: 0 });
    expect(theirs.byCampaign.map(({ campaignId }) => campaignId)).toEqual(['9']);
    const { analytics } = client;
    await expect(analytics.campaign({ campaignId: '9' })).rejects.toMatchObject({ status: 403 });
    await expect(analytics.campaign({ campaignId: '77' })).rejects.toMatchObject({ status: 404 });
    const issues = [{ path: 'campaignIds.1', message: 'campaign 9 belongs to another merchant' }];
    const foreign = { campaignIds: ['1', '9'] };
    await expect(analytics.merchant(foreign)).rejects.toMatchObject({ status: 403, issues });
    await expect(analytics.campaign({ campaignId: '1', ...foreign })).rejects.toMatchObject({
      status: 403,
      issues,
    });
  });

  it('analytics are zero for an account without sales, and name no token', async () => {
    const { data, meta } = await (await fixture.clientAs(account(4_711))).analytics.merchant();
    expect(data.totals).toMatchObject({ sales: { finalized: 0 }, value: '0', links: 0 });
    expect(data.previousPeriodTotals).toBeNull();
    expect(data.byCampaign).toEqual([]);
    expect(meta.token).toBeUndefined();
  });

  it('analytics refuse a range of more than 366 days', async () => {
    const whole = { from: '2023-01-01T00:00:00.000Z', to: '2024-01-02T00:00:00.000Z' };
    expect((await client.analytics.merchant({ range: whole })).data.series).toHaveLength(366);
    const longer = { ...whole, to: '2024-01-02T00:00:01.000Z' };
    await expect(client.analytics.merchant({ range: longer })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'range' }],
    });
  });
});
