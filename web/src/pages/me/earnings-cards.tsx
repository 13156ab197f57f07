import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { MINE } from '../../account/use-session.ts';
import { api, type DataOf, useApi, usePages } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable, PagedTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits } from '../../format.ts';
import styles from './me.module.css';

type Summary = DataOf<typeof api.earnings.summary>;

const count = (value: number): string => groupDigits(String(value));

const buckets = [
  ['atRisk', 'On hold'],
  ['readyToFinalize', 'Ready to finalize'],
  ['claimable', 'Claimable'],
  ['claimed', 'Claimed'],
  ['refunded', 'Refunded'],
  ['reversed', 'Reversed'],
] as const;

/** Earnings of the account: by token, and by campaign. */
export function EarningsCards() {
  const query = useApi([MINE, 'earnings.summary'], (options) => api.earnings.summary({}, options));
  return (
    <>
      <Card title="Earnings" aside={<AsOf meta={query.data?.meta} />}>
        <Answered query={query} what="Your earnings">
          {({ data }) => <Summaries summary={data} />}
        </Answered>
      </Card>
      {query.data && query.data.data.byToken.length > 0 && <ByCampaign />}
    </>
  );
}

function Summaries({ summary: { byToken, links, nextReleaseAt } }: { readonly summary: Summary }) {
  if (byToken.length === 0) return <Empty>This account has no rewards yet.</Empty>;
  return (
    <div className={styles.stack}>
      {byToken.map(({ token, rewards, missed, conversions }) => (
        <div key={token.address} className={styles.stack}>
          <DataTable
            caption={`Rewards in ${token.symbol}`}
            rows={buckets}
            rowKey={([name]) => name}
            columns={[
              { name: `Rewards in ${token.symbol}`, cell: ([, label]) => label },
              {
                name: 'Amount',
                numeric: true,
                cell: ([name]) => <Amount value={rewards[name]} token={token} />,
              },
            ]}
          />
          <Facts
            facts={[
              ['Conversions', count(conversions)],
              ['Missed by caps', <Amount key="missed" value={missed} token={token} />],
            ]}
          />
        </div>
      ))}
      <Facts
        facts={[
          ['Links', count(links)],
          ['Next hold over', nextReleaseAt && <Time at={nextReleaseAt} />],
        ]}
      />
    </div>
  );
}

function ByCampaign() {
  const pages = usePages([MINE, 'earnings.byCampaign'], (page, options) =>
    api.earnings.byCampaign({ ...page, limit: 20 }, options),
  );
  return (
    <Card title="By campaign">
      <PagedTable
        caption="Earnings by campaign"
        pages={pages}
        empty="No campaign has rewarded this account yet."
        rowKey={({ campaignId }) => campaignId}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId, campaignTitle }) => (
              <Link href={pathOf('campaign', { campaignId })}>{campaignTitle}</Link>
            ),
          },
          { name: 'Conversions', numeric: true, cell: ({ conversions }) => count(conversions) },
          ...(['atRisk', 'claimable', 'claimed'] as const).map((name) => ({
            name: buckets.find(([one]) => one === name)?.[1] ?? name,
            numeric: true,
            cell: ({ rewards, token }: (typeof pages.items)[number]) => (
              <Amount value={rewards[name]} token={token} />
            ),
          })),
        ]}
      />
    </Card>
  );
}
