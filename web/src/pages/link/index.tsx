import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { decodeReferralCode } from '../../../../engine/core/referral-code.ts';
import { api, type DataOf, useApi } from '../../api.ts';
import { AddressLink } from '../../components/address-link.tsx';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { HeadRow } from '../../components/head-row.tsx';
import { Loading, type PartSize } from '../../components/loading.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { RewardOutlook } from '../../components/reward-outlook.tsx';
import { Offer } from '../../offer/offer.tsx';
import { useCampaign, usePrices } from '../../offer/use-offer.ts';
import { Share } from '../../share/share.tsx';
import { countVisit } from './count-visit.ts';

type Referral = DataOf<typeof api.referrals.get>;

const HEAD: PartSize = [2.75, 5.25];
const OFFER: PartSize = [48, 60];

/** The product of a referral link, with the price, who earns from it, and the way to buy it. */
export function LinkPage({ code }: { readonly code: string }) {
  if (decodeReferralCode(code) === undefined) return <Mistyped code={code} />;
  return <Known code={code} />;
}

function Known({ code }: { readonly code: string }) {
  const query = useApi(['referrals.get'], api.referrals.get, { code });
  const found = query.data?.data;
  useVisit(found);
  return (
    <>
      <PageHead
        title={found?.link.campaign.product.title ?? `Link ${code}`}
        kind="Shared by a link"
      >
        {found && <Head referral={found} />}
        {query.isPending && <Loading what="the link" size={HEAD} />}
      </PageHead>
      <Answered query={query} what={`The link ${code}`} size={OFFER}>
        {({ data }) => <Sold referral={data} />}
      </Answered>
    </>
  );
}

function Head({ referral: { code, link } }: { readonly referral: Referral }) {
  const { owner, ownerHandle, campaign } = link;
  return (
    <HeadRow>
      <p>
        Link <code>{code}</code> of{' '}
        <AddressLink address={owner} to="distributors" name={ownerHandle ?? undefined} />
      </p>
      <Share
        path={pathOf('link', { code })}
        title={campaign.product.title}
        name="Share this link"
      />
    </HeadRow>
  );
}

function Sold({ referral: { link } }: { readonly referral: Referral }) {
  const { campaignId } = link.campaign;
  const campaign = useCampaign(campaignId);
  // The number of variants decides how high the offer is.
  const prices = usePrices(campaignId);
  if (prices.isPending) return <Loading what="the product" size={OFFER} />;
  return (
    <Answered query={campaign} what="The product" size={OFFER}>
      {({ data }) => (
        <Offer campaign={data} nodeId={link.nodeId}>
          <Card title="Rewards of later sales">
            <RewardOutlook campaign={link.campaign} />
          </Card>
        </Offer>
      )}
    </Answered>
  );
}

/** Counts the visit once it is known whose link it is. */
function useVisit(referral: Referral | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (referral === undefined) return;
    // Counting is for the owner’s statistics: a visitor must not see that it failed.
    countVisit(queries, referral).catch(() => undefined);
  }, [queries, referral]);
}

function Mistyped({ code }: { readonly code: string }) {
  return (
    <>
      <PageHead title="This link is mistyped" kind="Shared by a link" />
      <Panel title={`${code} is no referral code`} tone="warn">
        <p>
          Two characters at the end of a code reveal mistakes, and they do not fit here. Compare the
          address with the one that you got, or look for the product.
        </p>
        <p>
          <Link href={pathOf('home')}>Search for the product</Link>
        </p>
      </Panel>
    </>
  );
}
