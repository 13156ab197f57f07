import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { encodeReferralCode } from '../../../../../engine/core/referral-code.ts';
import { MINE } from '../../../account/session.ts';
import { ForAccount } from '../../../account/sign-in.tsx';
import { api, type DataOf, type RequestOptions, useRead } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Answered } from '../../../components/answered.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { Facts } from '../../../components/facts.tsx';
import { Loading } from '../../../components/loading.tsx';
import { PageHead } from '../../../components/page-head.tsx';
import { Panel } from '../../../components/panel.tsx';
import { ReferralLink } from '../../../components/referral-link.tsx';
import { RewardOutlook } from '../../../components/reward-outlook.tsx';
import { Time } from '../../../components/time.tsx';
import { count, duration, percent } from '../../../format.ts';
import { Label } from './label.tsx';
import { conversionRate, totalSales } from './rate.ts';
import { SubLinksCard } from './sub-links-card.tsx';

type OwnLink = DataOf<typeof api.links.mine>['items'][number];

/** Loaded when it is drawn: the library of charts is larger than the rest of the page. */
const StatsCard = lazy(async () => ({
  default: (await import('./stats-card.tsx')).StatsCard,
}));

/** One of the links of the signed-in account: its address, its visits and sales, and who joined under it. */
export function LinkPage({ nodeId }: { readonly nodeId: string }) {
  return (
    <>
      <PageHead
        title={`Link ${codeOf(nodeId)}`}
        kind={<Link href={`${pathOf('account')}?tab=links`}>My links</Link>}
      />
      <ForAccount demo="partner" why="Then you see the visits and sales of your link.">
        {({ address }) => <OwnedLink nodeId={nodeId} address={address} />}
      </ForAccount>
    </>
  );
}

interface OwnedLinkProps {
  readonly nodeId: string;
  readonly address: string;
}

function OwnedLink({ nodeId, address }: OwnedLinkProps) {
  const query = useRead([MINE, 'links.mine', 'one', nodeId], (options) =>
    findLink(nodeId, address, options),
  );
  return (
    <Answered query={query} what={`Link ${codeOf(nodeId)}`}>
      {({ data: link }) =>
        link === undefined ? (
          <Panel title="This is not your link">
            <p>
              Link {codeOf(nodeId)} belongs to another account. Sign in with that account, or go to{' '}
              <Link href={`${pathOf('account')}?tab=links`}>your links</Link>.
            </p>
          </Panel>
        ) : (
          <Cards>
            <LinkCard link={link} />
            <Suspense fallback={<Loading what="the charts" />}>
              <StatsCard link={link} />
            </Suspense>
            <SubLinksCard link={link} />
          </Cards>
        )
      }
    </Answered>
  );
}

function LinkCard({ link }: { readonly link: OwnLink }) {
  const { nodeId, label, code, campaign, parentNodeId, opens, sales, networkSales } = link;
  return (
    <Card
      title={campaign.product.title}
      aside={<Link href={pathOf('campaign', campaign)}>The campaign</Link>}
    >
      <div className="stack">
        <Facts
          facts={[
            ['Name', <Label key="label" nodeId={nodeId} label={label} />],
            [
              'Share this',
              code && <ReferralLink key="link" code={code} title={campaign.product.title} />,
            ],
            ['Opened', count(opens)],
            ['Sales', count(totalSales(sales))],
            ['Sales per visit', conversionRate(opens, totalSales(sales))],
            ['Sales below it that paid you', count(networkSales)],
            ['Under', parentNodeId === null ? 'no other link' : `link ${codeOf(parentNodeId)}`],
            ['Joined', <Time key="joined" at={link.joinedAt} />],
            ['Price', <Amount key="price" value={campaign.price} token={campaign.token} />],
            ['Commission', percent(campaign.commissionBps)],
            ['Held for', duration(campaign.holdSeconds)],
            ['Self-referral', campaign.excludesSelfReferral ? 'excluded' : 'allowed'],
          ]}
        />
        <RewardOutlook campaign={campaign} />
      </div>
    </Card>
  );
}

/** Code of a link; an address that names no link is shown as it is. */
const codeOf = (nodeId: string): string => encodeReferralCode(nodeId) ?? nodeId;

/** The account's link with this number; `undefined` if it is another account's. */
async function findLink(nodeId: string, address: string, options: RequestOptions) {
  const { data, meta } = await api.links.get({ nodeId }, options);
  if (data.owner !== address.toLowerCase()) return { data: undefined, meta };
  const { campaignId } = data.campaign;
  const links = api.pages(api.links.mine, { campaignId, limit: 100 });
  for await (const link of links) if (link.nodeId === nodeId) return { data: link, meta };
  return { data: undefined, meta };
}
