import { lazy, Suspense } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { type Reply, useApi } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Cards } from '../../components/card.tsx';
import { AsOf } from '../../components/finality.tsx';
import { HeadRow } from '../../components/head-row.tsx';
import { Loading } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { words } from '../../format.ts';
import { type CampaignLedgers, campaignLedgers } from '../../ledger/campaign-ledgers.ts';
import { checkoutPath } from '../../offer/use-offer.ts';
import { Share } from '../../share/share.tsx';
import { AboutCard } from './about-card.tsx';
import styles from './campaign.module.css';
import { GraphCard } from './graph/graph-card.tsx';
import { LedgersCard } from './ledgers-card.tsx';
import { PolicyCard } from './policy/policy-card.tsx';
import { ReceiptsCard } from './receipts-card.tsx';

/** Loaded when it is drawn: the library of charts is larger than the rest of the page. */
const ChartsCard = lazy(async () => ({
  default: (await import('./charts/charts-card.tsx')).ChartsCard,
}));

/** Milliseconds between two looks at a campaign. */
const POLL_MS = 15_000;

export function CampaignPage({ campaignId }: { readonly campaignId: string }) {
  const query = useApi(
    ['campaign.ledgers', campaignId],
    (options) => campaignLedgers(campaignId, options),
    { refetchInterval: POLL_MS },
  );
  const title = query.data?.data.campaign.product.title ?? `Campaign ${campaignId}`;
  return (
    <>
      <PageHead title={title} kind={`Campaign ${campaignId}`}>
        {query.data && <Head {...query.data} />}
      </PageHead>
      <Answered query={query} what={`Campaign ${campaignId}`}>
        {(reply) => <Body {...reply} />}
      </Answered>
    </>
  );
}

function Head({ data: { campaign }, meta }: Reply<CampaignLedgers>) {
  const { campaignId, state, merchant, product, trustMode } = campaign;
  const name = merchant.slug === merchant.address ? undefined : merchant.name;
  return (
    <>
      <p>
        <Badge tone={state === 'FUNDED_ACTIVE' ? 'good' : 'plain'}>{words(state)}</Badge> by{' '}
        <AddressLink address={merchant.address} to="merchants" name={name} />
      </p>
      <AsOf meta={meta} />
      <HeadRow>
        <span className={styles.ways}>
          {trustMode === 'NATIVE_ONCHAIN' && state === 'FUNDED_ACTIVE' && (
            <Link href={checkoutPath({ campaignId })}>Buy without a link</Link>
          )}{' '}
          <Link href={pathOf('product', { productId: product.id })}>Product page</Link>
        </span>
        <Share path={pathOf('campaign', { campaignId })} title={product.title} />
      </HeadRow>
    </>
  );
}

function Body({ data: { campaign, stats }, meta }: Reply<CampaignLedgers>) {
  const { campaignId, chainId, token, trustMode, policy, moderation } = campaign;
  return (
    <Cards>
      {moderation.hidden && (
        <Panel tone="warn" title="Hidden by an operator">
          <p>
            {moderation.reason ?? 'No reason was given.'} It is in no list and sells nothing here.
          </p>
        </Panel>
      )}
      <AboutCard campaign={campaign} stats={stats} />
      <PolicyCard campaign={campaign} />
      <LedgersCard campaign={campaign} stats={stats} />
      <Suspense fallback={<Loading what="the charts" />}>
        <ChartsCard
          campaignId={campaignId}
          trustMode={trustMode}
          token={token}
          createdBlock={campaign.creationTx.blockNumber}
          block={meta.chain?.blockNumber}
        />
      </Suspense>
      <GraphCard
        campaignId={campaignId}
        chainId={chainId}
        weightsBps={policy.weightsBps.slice(0, policy.maxRewardedAncestors)}
      />
      <ReceiptsCard campaignId={campaignId} />
    </Cards>
  );
}
