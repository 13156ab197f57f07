import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_SECONDS } from '../../engine/core/analytics.ts';
import type { Address } from '../../engine/core/events.ts';
import { readLedger, type Snapshot } from '../../engine/db/read/snapshot.ts';
import {
  type Activity,
  activityByDay,
  type DayRange,
} from '../../engine/db/read/system/activity.ts';
import { account, randomHistory, seeded } from '../support/history.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { moderate } from './support/moderate.ts';
import { joinPastState } from './support/past-state.ts';
import { smallHistory } from './support/small-history.ts';

const SEED = 4_711;

describe('the activity of all campaigns', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(randomHistory({ seed: SEED, steps: 600, campaigns: 4 }));
    await moderate(fixture.pool, 'hide', '3');
    await fixture.pool`
      update ledger.campaign set token = ${account(2)} where campaign_id in (2, 3)`;
  });
  afterAll(() => fixture.close());

  it('equals the same totals computed from the sales, at random settled blocks', async () => {
    const rows = await fixture.pool<{ n: string; h: `0x${string}`; t: string }[]>`
      select block_number as n, min(block_hash) as h, min(block_timestamp) as t
      from ledger.journal group by block_number order by block_number`;
    const blocks = rows.map(({ n, h, t }) => ({
      number: Number(n),
      hash: h,
      timestamp: Number(t),
    }));
    const [oldest, newest] = [blocks[0]?.timestamp ?? 0, blocks.at(-1)?.timestamp ?? 0];
    const random = seeded(SEED);
    let sales = 0;
    for (let i = 0; i < 40; i += 1) {
      const at = blocks[Math.floor(random() ** 0.3 * blocks.length)];
      if (at === undefined) throw new Error('there are no blocks');
      const day = () => Math.floor((oldest + random() * (newest - oldest)) / DAY_SECONDS);
      const [one, other] = [day(), day()];
      const range = { first: Math.min(one, other), last: Math.max(one, other) };
      await readLedger(
        fixture.pool,
        async (snapshot) => {
          const read = await activityByDay(snapshot, range, 5);
          expect(read, `block ${at.number}`).toEqual(await activityBySale(snapshot, range));
          sales += [...read.days.values()].reduce((sum, { sales: some }) => sum + some, 0);
        },
        at,
      );
    }
    expect(sales).toBeGreaterThan(500);
  });

  it('leaves out tokens beyond the limit, those with fewest sales first', async () => {
    await readLedger(fixture.pool, async (snapshot) => {
      const last = Math.floor(snapshot.head.timestamp / DAY_SECONDS);
      const range = { first: last - 89, last };
      const all = await activityByDay(snapshot, range, 5);
      const some = await activityByDay(snapshot, range, 1);
      expect(all.tokens.size).toBeGreaterThan(1);
      expect([...some.tokens]).toEqual([...all.tokens].slice(0, 1));
      expect(some.days).toEqual(all.days);
    });
  });
});

describe('system.activity', () => {
  let fixture: ApiFixture;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(smallHistory().history.facts);
  });
  afterAll(() => fixture.close());

  it('returns totals by token, and a row for each day up to the settled block', async () => {
    const client = fixture.client();
    const { data, meta } = await client.system.activity({ days: 3 });
    const { data: tokens } = await client.tokens.list();
    expect(data.campaigns).toBe(3);
    const { data: active } = await client.campaigns.list({ status: 'active' });
    expect(data.liveCampaigns).toBe(active.total);
    expect(data.tokens.map(({ days: _days, ...totals }) => totals)).toEqual(tokens.items);
    const today = meta.chain?.blockTimestamp.slice(0, 10);
    expect(data.days.map(({ day }) => day).at(-1)).toBe(`${today}T00:00:00.000Z`);
    expect(data.days.map(({ sales, campaigns }) => [sales, campaigns])).toEqual([
      [0, 0],
      [0, 0],
      [5, 3],
    ]);
    // Sale 1 of 1,000,000 was refunded by 400,000 and finalized; sale 4 was reversed.
    expect(data.tokens[0]?.days).toEqual([
      { sales: 0, settledValue: '0', rewards: '0' },
      { sales: 0, settledValue: '0', rewards: '0' },
      { sales: 5, settledValue: '600000', rewards: '60000' },
    ]);
    expect((await client.system.activity()).data.days).toHaveLength(30);
  });

  it('leaves out a hidden campaign', async () => {
    await moderate(fixture.pool, 'hide', '1');
    const { data } = await fixture.client().system.activity({ days: 1 });
    expect(data).toMatchObject({ campaigns: 2, days: [{ sales: 2, campaigns: 2 }] });
    expect(data.tokens[0]).toMatchObject({ campaigns: 2, sales: 2 });
    await moderate(fixture.pool, 'unhide', '1');
  });

  it('names the field if the number of days is out of range', async () => {
    await expect(fixture.client().system.activity({ days: 91 })).rejects.toMatchObject({
      status: 400,
      issues: [{ path: 'days' }],
    });
  });
});

interface SaleRow {
  token: Address;
  day: string;
  campaigns: string;
  sales: string;
  value: string;
  rewards: string;
}

/** The same from the sales themselves, each in its version as of the block. Campaign 3 is hidden. */
async function activityBySale({ sql, head }: Snapshot, range: DayRange): Promise<Activity> {
  const newest = sql`(
    select max(seq) from ledger.journal event
    where event.campaign_id = sale.campaign_id and event.block_number <= ${head.number}
  )`;
  const rows = await sql<SaleRow[]>`
    select campaign.token, sale.block_timestamp / 86400 as day, count(*) as sales,
      count(distinct sale.campaign_id) as campaigns,
      coalesce(sum(sale.amount - past.refunded_total) filter (where past.state = 'finalized'), 0) as value,
      coalesce(sum(paid.rewards) filter (where past.state = 'finalized'), 0) as rewards
    from ledger.sale join ledger.campaign on campaign.campaign_id = sale.campaign_id
    ${joinPastState(sql, newest)}
    left join lateral (
      select sum(level.vested) as rewards from ledger.sale_level level
      where level.campaign_id = sale.campaign_id and level.sale_id = sale.sale_id
    ) paid on sale.node_id is not null
    where sale.block_number <= ${head.number} and sale.campaign_id <> 3
      and sale.block_timestamp / 86400 between ${range.first} and ${range.last}
    group by 1, 2 order by 1, 2`;
  const days = new Map<number, { sales: number; campaigns: number }>();
  const tokens = new Map<
    Address,
    Map<number, { sales: number; settledValue: bigint; rewards: bigint }>
  >();
  for (const row of rows) {
    const [day, sales] = [Number(row.day), Number(row.sales)];
    const before = days.get(day) ?? { sales: 0, campaigns: 0 };
    days.set(day, {
      sales: before.sales + sales,
      campaigns: before.campaigns + Number(row.campaigns),
    });
    const known = tokens.get(row.token) ?? new Map();
    const [settledValue, rewards] = [BigInt(row.value), BigInt(row.rewards)];
    tokens.set(row.token, known.set(day, { sales, settledValue, rewards }));
  }
  return { days, tokens };
}
