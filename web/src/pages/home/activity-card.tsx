import { Link } from 'wouter';
import type { Client } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, useApi } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { Empty } from '../../components/empty.tsx';
import { AsOf } from '../../components/finality.tsx';
import { count, countOf } from '../../format.ts';
import styles from './activity.module.css';
import { DayBars } from './day-bars.tsx';

type Activity = DataOf<Client['system']['activity']>;

const DAYS = 30;
const KEY = ['system.activity', DAYS];
/** Milliseconds between two reads. */
const POLL_MS = 30_000;

/** Volume, rewards and active campaigns, each with its trend, as of one block. */
export function ActivityCard() {
  const query = useApi(
    KEY,
    api.system.activity,
    { days: DAYS },
    {
      refetchInterval: POLL_MS,
    },
  );
  return (
    <Card title="All campaigns" aside={<AsOf meta={query.data?.meta} />}>
      <Answered query={query} what="totals">
        {({ data }) => <Totals activity={data} />}
      </Answered>
    </Card>
  );
}

function Totals({ activity }: { readonly activity: Activity }) {
  const { campaigns, liveCampaigns, days, tokens } = activity;
  if (campaigns === 0) {
    return (
      <Empty>
        There is no campaign yet. A merchant creates one in{' '}
        <Link href={pathOf('account')}>the account</Link>.
      </Empty>
    );
  }
  const sales = days.map((day) => day.sales);
  const selling = days.map((day) => day.campaigns);
  return (
    <div className={styles.tiles}>
      <section className={styles.tile} aria-label="Volume">
        <h3>Paid by buyers</h3>
        <ul className={styles.amounts}>
          {tokens.map(({ token, nativeVolume }) => (
            <li key={token.address}>
              <Amount value={nativeVolume} token={token} />
            </li>
          ))}
        </ul>
        <p className="soft tiny">
          Through the contract, with refunds. Sales paid elsewhere are not included.
        </p>
      </section>
      <section className={styles.tile} aria-label="Rewards">
        <h3>Rewards paid</h3>
        <ul className={styles.amounts}>
          {tokens.map(({ token, rewardsClaimed }) => (
            <li key={token.address}>
              <Amount value={rewardsClaimed} token={token} />
            </li>
          ))}
        </ul>
        <p className="soft tiny">Claimed by those who earned them.</p>
      </section>
      <section className={styles.tile} aria-label="Active campaigns">
        <h3>
          <Link href={`${pathOf('campaigns')}?status=active`}>Active campaigns</Link>
        </h3>
        <p className={styles.figure}>
          {count(liveCampaigns)} <small>of {count(campaigns)}</small>
        </p>
        <DayBars
          title="Campaigns with a sale, by day"
          days={days.map(({ day }, i) => ({ day, value: selling[i] ?? 0 }))}
          noun={['campaign', 'campaigns']}
        />
      </section>
      <section className={styles.tile} aria-label="Sales">
        <h3>
          <Link href={pathOf('sales')}>Sales</Link>
        </h3>
        <p className={styles.figure}>
          {count(sales.reduce((sum, one) => sum + one, 0))}{' '}
          <small>in {countOf(days.length, 'day')}</small>
        </p>
        <DayBars
          title="Sales by day"
          days={days.map(({ day }, i) => ({ day, value: sales[i] ?? 0 }))}
          noun={['sale', 'sales']}
        />
      </section>
      {tokens.map(({ token, days: tokenDays }) => (
        <ValueTrend key={token.address} token={token} days={days} values={tokenDays} />
      ))}
    </div>
  );
}

interface ValueTrendProps {
  readonly token: Activity['tokens'][number]['token'];
  readonly days: Activity['days'];
  readonly values: Activity['tokens'][number]['days'];
}

/** Value of the completed sales of each day in a token; nothing if there was none. */
function ValueTrend({ token, days, values }: ValueTrendProps) {
  const total = values.reduce((sum, { settledValue }) => sum + BigInt(settledValue), 0n);
  const rewards = values.reduce((sum, one) => sum + BigInt(one.rewards), 0n);
  if (total === 0n) return null;
  const bars = values.map(({ settledValue }, i) => ({
    day: days[i]?.day ?? '',
    value: BigInt(settledValue),
  }));
  return (
    <section className={styles.tile} aria-label={`Completed sales in ${token.symbol}`}>
      <h3>Completed sales in {token.symbol}</h3>
      <p className={styles.figure}>
        <Amount value={total} token={token} />
      </p>
      <DayBars
        title={`Completed sales in ${token.symbol}, by day of the sale`}
        days={bars}
        token={token}
      />
      <p className="soft tiny">
        In {countOf(days.length, 'day')}, with sales paid elsewhere. Their rewards:{' '}
        <Amount value={rewards} token={token} />
      </p>
    </section>
  );
}
