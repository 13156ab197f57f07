import { Redirect } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, type Reply, useApi, usePages } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { campaignColumn } from '../../components/campaign-columns.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { ListCard } from '../../components/list.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { count } from '../../format.ts';
import styles from './merchant.module.css';
import { RecordCard } from './record-card.tsx';

type Profile = DataOf<typeof api.merchants.get>;

/** All but the merchant, who is the same in each row. */
const { merchant: itself, ...shown } = campaignColumn;
const columns = Object.values(shown);

/** Who sells: a profile or what the chain knows of an address, its record and its campaigns. */
export function MerchantPage({ slug }: { readonly slug: string }) {
  const profile = useApi(['merchants.get'], api.merchants.get, { slug });
  const found = profile.data?.data;
  // An earlier slug. An address stays: it names the account whatever its profile is called.
  if (found && found.slug !== slug && found.address !== slug.toLowerCase()) {
    return <Redirect to={pathOf('merchant', { slug: found.slug })} replace />;
  }
  return (
    <>
      <PageHead
        title={profile.data?.data.name ?? slug}
        kind={
          <Breadcrumbs
            above={[['Merchants', pathOf('merchants')]]}
            here={profile.data?.data.name ?? slug}
          />
        }
      >
        {profile.data && <Head {...profile.data} />}
      </PageHead>
      <Answered query={profile} what={`Merchant ${slug}`}>
        {({ data }) => (
          <Cards>
            <About profile={data} />
            <RecordCard slug={slug} />
            <Campaigns slug={slug} />
          </Cards>
        )}
      </Answered>
    </>
  );
}

function Head({ data, meta }: Reply<Profile>) {
  return (
    <>
      <p>
        {data.status === 'closed' && <Badge tone="warn">closed</Badge>}{' '}
        <AddressLink address={data.address} />
      </p>
      <AsOf meta={meta} />
    </>
  );
}

function About({ profile }: { readonly profile: Profile }) {
  const { logo, websiteUrl, supportEmail } = profile;
  return (
    <Card title="About">
      <div className="stack">
        {logo?.url !== undefined && (
          <img
            src={new URL(logo.url).pathname}
            alt=""
            width="64"
            height="64"
            className={styles.logo}
          />
        )}
        {profile.description !== '' && <p>{profile.description}</p>}
        <Facts
          facts={[
            [
              'Profile',
              profile.profiled ? 'A profile that the account made here' : 'The chain alone',
            ],
            [
              'Website',
              websiteUrl && (
                <a href={websiteUrl} rel="noreferrer nofollow ugc">
                  {websiteUrl}
                </a>
              ),
            ],
            ['Support', supportEmail && <a href={`mailto:${supportEmail}`}>{supportEmail}</a>],
            ['Profile made', profile.createdAt && <Time at={profile.createdAt} />],
            ['Campaigns', count(profile.campaignCount)],
            ['Taking sales now', count(profile.liveCampaignCount)],
          ]}
        />
        <p className="soft">
          Name, text and picture are the merchant’s own words: they were not checked. Everything
          below is from the chain.
        </p>
      </div>
    </Card>
  );
}

function Campaigns({ slug }: { readonly slug: string }) {
  const pages = usePages(['merchants.offers'], api.merchants.offers, { slug, limit: 20 });
  return (
    <ListCard
      title="Campaigns"
      caption="Campaigns of the merchant"
      pages={pages}
      empty="No campaign of this merchant is listed."
      rowKey={({ campaignId }) => campaignId}
      columns={columns}
    />
  );
}
