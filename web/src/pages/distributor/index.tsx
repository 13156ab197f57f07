import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type Reply, useApi } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { count, shortHex } from '../../format.ts';
import { LinksCard, SalesCard } from './links-cards.tsx';
import type { Profile } from './profile.ts';
import { RankCard } from './rank-card.tsx';
import { RecordCard } from './record-card.tsx';

/** On-chain record of a distributor, as far as its owner shows it. */
export function DistributorPage({ address }: { readonly address: string }) {
  const query = useApi(['reputation.get'], api.reputation.get, { addressOrHandle: address });
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
        {data.handle && <code>@{data.handle}</code>}{' '}
        {data.address && <AddressLink address={data.address} />}{' '}
        {data.visibility === 'pseudonymous' && (
          <span className="soft">
            {data.address === null
              ? 'The owner keeps the address private.'
              : 'The owner has no public name.'}
          </span>
        )}
      </p>
      <AsOf meta={meta} />
    </>
  );
}

function Body({ profile }: { readonly profile: Profile }) {
  const { address, record } = profile;
  if (record === null) return <RankBands profile={profile} />;
  const about = (
    <Cards>
      <RecordCard record={record} />
      <RankCard record={record} />
    </Cards>
  );
  if (address === null) return about;
  const links = { address, linkCount: record.linkCount };
  return (
    <Tabs
      label="Distributor"
      tabs={[
        { id: 'record', title: 'Record', content: about },
        { id: 'links', title: 'Links', content: <LinksCard {...links} /> },
        { id: 'sales', title: 'Sales', content: <SalesCard {...links} /> },
      ]}
    />
  );
}

/** Bands instead of totals, for a handle with a private address: totals would reveal it. */
function RankBands({ profile: { standing } }: { readonly profile: Profile }) {
  return (
    <Card title="Standing">
      <div className="stack">
        <Facts
          facts={[
            ['Completed sales', `${count(standing.settledConversionsAtLeast)} or more`],
            ['Different merchants', `${count(standing.merchantsAtLeast)} or more`],
          ]}
        />
        <p className="soft">
          The owner of this handle keeps the account private. So there are no exact numbers, links
          or receipts here: each of them would reveal the account.
        </p>
      </div>
    </Card>
  );
}
