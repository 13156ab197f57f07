import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type Reply, useApi } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Amount } from '../../components/amount.tsx';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { groupDigits, shortHex, words } from '../../format.ts';
import styles from './distributor.module.css';
import { LinksCards } from './links-cards.tsx';
import type { Profile, TrackRecord } from './profile.ts';
import { RankCard } from './rank-card.tsx';

const count = (value: number): string => groupDigits(String(value));

/** On-chain record of a distributor, as far as its owner shows it. */
export function DistributorPage({ address }: { readonly address: string }) {
  const query = useApi(['reputation.get', address], (options) =>
    api.reputation.get({ addressOrHandle: address }, options),
  );
  const name = query.data?.data.displayName ?? query.data?.data.handle;
  return (
    <>
      <PageHead
        title={name ?? shortHex(address)}
        kind={
          <Breadcrumbs
            above={[['Distributors', pathOf('distributors')]]}
            here={name ?? shortHex(address)}
          />
        }
      >
        {query.data && <Head {...query.data} />}
      </PageHead>
      <Answered query={query} what={`Distributor ${shortHex(address)}`}>
        {({ data }) => <Body profile={data} />}
      </Answered>
    </>
  );
}

function Head({ data, meta }: Reply<Profile>) {
  return (
    <>
      <p>
        <Badge tone="plain">{data.visibility}</Badge> {data.handle && <code>@{data.handle}</code>}{' '}
        {data.address && <AddressLink address={data.address} />}
      </p>
      <AsOf meta={meta} />
    </>
  );
}

function Body({ profile }: { readonly profile: Profile }) {
  const { address, record } = profile;
  return (
    <Cards>
      {record === null ? <RankBands profile={profile} /> : <RecordCard record={record} />}
      {record !== null && <RankCard record={record} />}
      {address !== null && record !== null && (
        <LinksCards address={address} linkCount={record.linkCount} />
      )}
    </Cards>
  );
}

/** Bands instead of totals, for a handle with a private address: totals would reveal it. */
function RankBands({ profile: { standing } }: { readonly profile: Profile }) {
  return (
    <Card title="Standing">
      <div className={styles.stack}>
        <Facts
          facts={[
            ['Settled conversions', `${count(standing.settledConversionsAtLeast)} or more`],
            ['Different merchants', `${count(standing.merchantsAtLeast)} or more`],
          ]}
        />
        <p className={styles.soft}>
          The owner of this handle keeps the account private. So there are no exact numbers, links
          or receipts here: each of them would reveal the account.
        </p>
      </div>
    </Card>
  );
}

function RecordCard({ record }: { readonly record: TrackRecord }) {
  const { firstLinkAt, lastSettledAt } = record;
  return (
    <Card title="Track record">
      <div className={styles.stack}>
        <Facts
          facts={[
            ['Links', count(record.linkCount)],
            ['First joined', firstLinkAt && <Time at={firstLinkAt} />],
            ['Settled conversions', count(record.settledConversions)],
            ['By its own links', count(record.directSales)],
            ['By links below its own', count(record.networkSales)],
            ['Pending sales', count(record.pendingSales)],
            ['Refunded sales', count(record.refundedSales)],
            ['Reversed sales', count(record.reversedSales)],
            ['Different merchants', count(record.merchantCount)],
            ['Categories', record.categories.map(words).join(', ')],
            ['Last settled', lastSettledAt && <Time at={lastSettledAt} />],
          ]}
        />
        {record.settledValues.length > 0 && <Values record={record} />}
        <p className={styles.soft}>
          Sales whose buyer is the merchant, or owns a rewarded link of the path, do not count.
        </p>
      </div>
    </Card>
  );
}

function Values({ record }: { readonly record: TrackRecord }) {
  return (
    <DataTable
      caption="What buyers paid in its settled conversions, by token"
      rows={record.settledValues}
      rowKey={({ token }) => token.address}
      columns={[
        { name: 'Token', cell: ({ token }) => token.symbol },
        { name: 'Settled conversions', numeric: true, cell: ({ sales }) => count(sales) },
        {
          name: 'Paid by their buyers',
          numeric: true,
          cell: ({ value, token }) => <Amount value={value} token={token} />,
        },
      ]}
    />
  );
}
