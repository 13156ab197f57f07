import { sum } from '../../../../../engine/core/amounts.ts';
import { MINE } from '../../../account/session.ts';
import { api, type DataOf, type Reply, type RequestOptions, useRead } from '../../../api.ts';
import { PeriodBars } from '../../../charts/period-bars.tsx';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { AsOf } from '../../../components/finality.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { useFilters } from '../../../filters/use-filters.ts';
import { count, money } from '../../../format.ts';
import styles from '../me.module.css';
import { lastDays } from '../statements/range.ts';
import { conversionRate, totalSales } from './rate.ts';
import { type LinkRewards, rewardsByDay } from './rewards-by-day.ts';

type OwnLink = DataOf<typeof api.links.mine>['items'][number];
type Stats = DataOf<typeof api.links.stats>;
type Range = ReturnType<typeof lastDays>;

interface LinkDays extends LinkRewards {
  readonly stats: Stats;
}

/** Rewards of a link that are summed: pages of 100. */
const MAX_PAGES = 10;
const PAGE = 100;

const periods = [
  ['7', 'The last 7 days'],
  ['', 'The last 30 days'],
  ['90', 'The last 90 days'],
  ['365', 'The last 365 days'],
] as const;

/** Visits of a link, the sales that came from them, and the rewards of its owner for them, day by day. */
export function StatsCard({ link }: { readonly link: OwnLink }) {
  const filters = useFilters('days');
  const days = Number(filters.chosen('days', periods) ?? 30);
  const { nodeId, campaign } = link;
  const query = useRead([MINE, 'links.stats', nodeId, days], (options) =>
    readDays(link, lastDays(days, Date.now()), options),
  );
  return (
    <Card title="Visits, sales and rewards" aside={<AsOf meta={query.data?.meta} />}>
      <div className="stack">
        <FilterBar filters={filters}>
          <FilterSelect filters={filters} name="days" label="Time" options={periods} wide />
        </FilterBar>
        <Answered query={query} what="visits and sales">
          {({ data }) => <Days {...data} campaign={campaign} />}
        </Answered>
      </div>
    </Card>
  );
}

interface DaysProps extends LinkDays {
  readonly campaign: OwnLink['campaign'];
}

function Days({ stats, rewards, more, campaign: { token } }: DaysProps) {
  const { totals, series } = stats;
  const days = series.map(({ at }) => at.slice(0, 10));
  const amounts = rewardsByDay(days, rewards);
  const sales = (name: keyof Stats['totals']['sales']) =>
    series.map((day) => BigInt(day.sales[name]));
  const whole = (value: bigint) => count(Number(value));
  return (
    <>
      <Facts
        facts={[
          ['Opened', count(totals.opens)],
          ['Visitors, by day', count(totals.visitors)],
          ['Sales', count(totalSales(totals.sales))],
          ['Sales per visit', conversionRate(totals.opens, totalSales(totals.sales))],
          ['Paid in completed sales', <Amount key="value" value={totals.value} token={token} />],
          ['Your rewards', <Amount key="rewards" value={sum(amounts)} token={token} />],
          ['Joined under it', count(totals.joins)],
        ]}
      />
      <div className={styles.charts}>
        <PeriodBars
          title="Opened"
          periods={days}
          write={whole}
          bands={[
            { name: 'opens', label: 'Opened', amounts: series.map(({ opens }) => BigInt(opens)) },
          ]}
        />
        <PeriodBars
          title="Sales"
          periods={days}
          write={whole}
          bands={[
            { name: 'finalized', label: 'Completed', amounts: sales('finalized') },
            { name: 'pending', label: 'On hold', amounts: sales('pending') },
            { name: 'refunded', label: 'Refunded', amounts: sales('refunded') },
          ]}
        />
        <PeriodBars
          title="Your rewards"
          periods={days}
          write={(amount) => money(amount, token)}
          bands={[{ name: 'rewards', label: 'Rewards', amounts }]}
        />
      </div>
      <p className="soft">
        Days are in UTC; a sale counts on the day it was recorded. Rewards are those of this link,
        including sales below it, less refunds.
        {more && ` They are summed over the newest ${count(rewards.length)} sales.`}
      </p>
    </>
  );
}

async function readDays(
  { nodeId, campaign: { campaignId } }: OwnLink,
  range: Range,
  options: RequestOptions,
): Promise<Reply<LinkDays>> {
  const [{ data: stats, meta }, rewards] = await Promise.all([
    api.links.stats({ nodeId, range }, options),
    readRewards(nodeId, campaignId, range, options),
  ]);
  return { data: { stats, ...rewards }, meta };
}

async function readRewards(
  nodeId: string,
  campaignId: string,
  range: Range,
  options: RequestOptions,
): Promise<LinkRewards> {
  const rewards: LinkRewards['rewards'][number][] = [];
  for (let page = 1, cursor: string | undefined; ; page += 1) {
    const input = { campaignId, range, limit: PAGE, cursor };
    const { data } = await api.earnings.byConversion(input, options);
    rewards.push(...data.items.filter((one) => one.nodeId === nodeId));
    cursor = data.nextCursor ?? undefined;
    if (cursor === undefined || page === MAX_PAGES) return { rewards, more: cursor !== undefined };
  }
}
