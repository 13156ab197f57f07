import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, useApi } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Failure } from '../../components/failure.tsx';
import { Loading } from '../../components/loading.tsx';
import { count } from '../../format.ts';
import { DayBars } from './day-bars.tsx';
import styles from './home.module.css';

type Activity = DataOf<Client['system']['activity']>;

const DAYS = 30;
/** Milliseconds between two reads. */
const POLL_MS = 30_000;

/** Sales, rewards and campaigns in numbers, each with one meaning, as of one block. */
export function Totals() {
  const query = useApi(
    ['system.activity', DAYS],
    api.system.activity,
    { days: DAYS },
    { refetchInterval: POLL_MS },
  );
  const activity = query.data?.data;
  return (
    <section aria-label="Totals" className={styles.totals}>
      {activity !== undefined ? (
        <Shown activity={activity} />
      ) : query.error ? (
        <Failure error={query.error} what="The totals" onRetry={() => void query.refetch()} />
      ) : (
        <Loading what="the totals" lines={5} />
      )}
    </section>
  );
}

function Shown({ activity }: { readonly activity: Activity }) {
  const { campaigns, liveCampaigns, days, tokens } = activity;
  const sales = days.reduce((sum, day) => sum + day.sales, 0);
  return (
    <>
      <Total
        name="Sales"
        about={`In the last ${days.length} days.`}
        more={
          <DayBars
            title="Sales by day"
            days={days.map(({ day, sales: value }) => ({ day, value }))}
            noun={['sale', 'sales']}
          />
        }
      >
        <Link href={pathOf('sales')}>{count(sales)}</Link>
      </Total>
      <Total
        name="Paid by buyers"
        about="Since the start, through the contract; refunds are included."
      >
        {tokens.map(({ token, nativeVolume }) => (
          <Amount key={token.address} value={nativeVolume} token={token} />
        ))}
      </Total>
      <Total
        name="Rewards paid out"
        about="Since the start, to those who claimed what they earned."
      >
        {tokens.map(({ token, rewardsClaimed }) => (
          <Amount key={token.address} value={rewardsClaimed} token={token} />
        ))}
      </Total>
      <Total name="Campaigns that sell now" about={`Of ${count(campaigns)} so far.`}>
        <Link href={`${pathOf('campaigns')}?status=active`}>{count(liveCampaigns)}</Link>
      </Total>
    </>
  );
}

interface TotalProps {
  readonly name: string;
  /** Its meaning, as a sentence. */
  readonly about: string;
  readonly children: ReactNode;
  readonly more?: ReactNode;
}

function Total({ name, about, children, more }: TotalProps) {
  return (
    <section aria-label={name} className={styles.total}>
      <h2>{name}</h2>
      <div className={styles.value}>{children}</div>
      <p className="soft tiny">{about}</p>
      {more}
    </section>
  );
}
