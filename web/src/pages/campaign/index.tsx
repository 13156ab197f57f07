import type { QueryKey } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { type Reply, useRead } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Breadcrumbs } from '../../components/breadcrumbs.tsx';
import { ButtonLink } from '../../components/button-link.tsx';
import { CampaignState } from '../../components/campaign-state.tsx';
import { Card, Cards } from '../../components/card.tsx';
import { AsOf } from '../../components/finality.tsx';
import { HeadRow } from '../../components/head-row.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { Risks } from '../../components/risks.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { type CampaignLedgers, campaignLedgers } from '../../ledger/campaign-ledgers.ts';
import { addsUp, identitiesOf } from '../../ledger/identities.ts';
import { Broken } from '../../ledger/identity-bar.tsx';
import { useLiveQueries } from '../../live.ts';
import { checkoutPath } from '../../offer/use-offer.ts';
import { Share } from '../../share/share.tsx';
import { AboutCard } from './about-card.tsx';
import { GraphCard } from './graph/graph-card.tsx';
import { JoinButton, takesLinks } from './join/join-button.tsx';
import { JoinCard } from './join/join-card.tsx';
import { LedgersCard } from './ledgers-card.tsx';
import { PolicyCard } from './policy/policy-card.tsx';
import { ReceiptsCard } from './receipts-card.tsx';

/** Loaded when it is drawn: the library of charts is larger than the rest of the page. */
const ChartsCard = lazy(async () => ({
  default: (await import('./charts/charts-card.tsx')).ChartsCard,
}));

/** Milliseconds between two reads of a campaign while the stream is closed. */
const POLL_MS = 15_000;

export function CampaignPage({ campaignId }: { readonly campaignId: string }) {
  const keys = useMemo(() => liveKeys(campaignId), [campaignId]);
  const connection = useLiveQueries(campaignId, keys);
  const query = useRead(
    ['campaign.ledgers', campaignId],
    (options) => campaignLedgers(campaignId, options),
    { refetchInterval: connection === 'open' ? 0 : POLL_MS },
  );
  const title = query.data?.data.campaign.product.title ?? `Campaign ${campaignId}`;
  return (
    <>
      <PageHead
        title={title}
        kind={
          <Breadcrumbs
            above={[['Campaigns', pathOf('campaigns')]]}
            here={`Campaign ${campaignId}`}
          />
        }
      >
        {query.data && <Head {...query.data} connection={connection} />}
      </PageHead>
      <Answered query={query} what={`Campaign ${campaignId}`}>
        {(reply) => <Body {...reply} />}
      </Answered>
    </>
  );
}

/** Queries of the page that change with the campaign. */
const liveKeys = (campaignId: string): QueryKey[] => [
  ['campaign.ledgers', campaignId],
  ['campaigns.policy', { campaignId }],
  ['receipts.forCampaign', { campaignId }],
];

interface HeadProps extends Reply<CampaignLedgers> {
  readonly connection: ReturnType<typeof useLiveQueries>;
}

function Head({ data: { campaign }, meta, connection }: HeadProps) {
  const { campaignId, state, merchant, product, trustMode, moderation } = campaign;
  const name = merchant.slug === merchant.address ? undefined : merchant.name;
  const isSold = trustMode === 'NATIVE_ONCHAIN' && state === 'FUNDED_ACTIVE' && !moderation.hidden;
  return (
    <>
      <p>
        <CampaignState value={state} /> <LiveBadge state={connection} /> by{' '}
        <AddressLink address={merchant.address} to="merchants" name={name} />
      </p>
      <AsOf meta={meta} />
      <HeadRow>
        <div className="actions">
          {isSold && (
            <ButtonLink main href={checkoutPath({ campaignId })}>
              Buy
            </ButtonLink>
          )}
          {takesLinks(campaign) && (
            <JoinButton campaign={campaign} main={!isSold}>
              Earn with it
            </JoinButton>
          )}
          <Share path={pathOf('campaign', { campaignId })} title={product.title} />
        </div>
        <Link href={pathOf('product', { productId: product.id })}>Product page</Link>
      </HeadRow>
    </>
  );
}

function Body({ data: { campaign, stats }, meta }: Reply<CampaignLedgers>) {
  const { campaignId, chainId, token, trustMode, policy, moderation } = campaign;
  useGraphTab();
  const broken = identitiesOf(campaign, stats).filter((identity) => !addsUp(identity));
  return (
    <>
      {moderation.hidden && (
        <Panel tone="warn" title="Hidden by an operator">
          <p>
            {moderation.reason ?? 'No reason was given.'} It is in no list and sells nothing here.
          </p>
        </Panel>
      )}
      {broken.map((identity) => (
        <Broken key={identity.name} identity={identity} token={token} />
      ))}
      <Tabs
        label="Campaign"
        tabs={[
          {
            id: 'overview',
            title: 'Overview',
            content: (
              <Cards>
                <AboutCard campaign={campaign} stats={stats} />
                <JoinCard campaign={campaign} />
                <Card title="What others can do to a distributor’s rewards" id="risks">
                  <Risks campaign={campaign} />
                </Card>
              </Cards>
            ),
          },
          { id: 'sales', title: 'Sales', content: <ReceiptsCard campaignId={campaignId} /> },
          {
            id: 'rewards',
            title: 'Rewards & ledgers',
            content: (
              <Cards>
                <LedgersCard campaign={campaign} stats={stats} />
                <Suspense fallback={<Loading what="charts" />}>
                  <ChartsCard
                    campaignId={campaignId}
                    trustMode={trustMode}
                    token={token}
                    createdBlock={campaign.creationTx.blockNumber}
                    block={meta.chain?.blockNumber}
                  />
                </Suspense>
              </Cards>
            ),
          },
          {
            id: 'graph',
            title: 'Graph',
            content: (
              <Cards>
                <GraphCard
                  campaignId={campaignId}
                  chainId={chainId}
                  weightsBps={policy.weightsBps.slice(0, policy.maxRewardedAncestors)}
                />
              </Cards>
            ),
          },
          { id: 'policy', title: 'Policy', content: <PolicyCard campaign={campaign} /> },
        ]}
      />
    </>
  );
}

/** Opens the graph if the address names a link in it (`?node=`) and no tab. */
function useGraphTab(): void {
  const [params, setParams] = useSearchParams();
  const isNamed = params.has('node') && !params.has('tab');
  useEffect(() => {
    if (!isNamed) return;
    setParams(
      (old) => {
        const next = new URLSearchParams(old);
        next.set('tab', 'graph');
        return next;
      },
      { replace: true },
    );
  }, [isNamed, setParams]);
}
