import { Link, useSearchParams } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { decodeReferralCode } from '../../../../engine/core/referral-code.ts';
import { ForAccount } from '../../account/sign-in.tsx';
import { Answered } from '../../components/answered.tsx';
import { Cards } from '../../components/card.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Panel } from '../../components/panel.tsx';
import { checkoutPath, useCampaign, useChosenSku } from '../../offer/use-offer.ts';
import { Unfinished } from '../../purchase/unfinished.tsx';
import { NotFoundPage } from '../not-found/index.tsx';
import { Begin } from './begin.tsx';
import { Order } from './order.tsx';
import { Payment } from './payment.tsx';

const CAMPAIGN = /^(?:0|[1-9][0-9]{0,77})$/;
const INTENT = /^[A-Za-z0-9_-]{1,100}$/;

/** Buying: the order with its price and terms, then the payment, which a closed page can continue. */
export function CheckoutPage({ campaignId }: { readonly campaignId: string }) {
  const [params] = useSearchParams();
  const code = params.get('link');
  const nodeId = code === null ? undefined : decodeReferralCode(code);
  const intentId = params.get('intent');
  if (!CAMPAIGN.test(campaignId)) return <NotFoundPage />;
  if (intentId !== null && !INTENT.test(intentId)) return <NotFoundPage />;
  if (code !== null && nodeId === undefined) return <MistypedLink campaignId={campaignId} />;
  return <Purchase campaignId={campaignId} nodeId={nodeId} intentId={intentId} />;
}

interface PurchaseProps {
  readonly campaignId: string;
  readonly nodeId: string | undefined;
  /** The purchase that was begun; `null` before. */
  readonly intentId: string | null;
}

function Purchase({ campaignId, nodeId, intentId }: PurchaseProps) {
  const [skuHash] = useChosenSku();
  const campaign = useCampaign(campaignId);
  const choice = { campaignId, skuHash, nodeId };
  const title = campaign.data?.data.product.title;
  return (
    <>
      <PageHead title={title === undefined ? 'Checkout' : `Buy ${title}`} kind="Checkout" />
      <Answered query={campaign} what={`Campaign ${campaignId}`}>
        {({ data }) => (
          <Cards>
            <Order campaign={data} choice={choice} isBegun={intentId !== null} />
            <ForAccount
              demo="buyer"
              why="The purchase is recorded for the account that you sign in with."
            >
              {({ address }) =>
                intentId === null ? (
                  <>
                    <Unfinished campaignId={campaignId} />
                    <Begin choice={choice} address={address} />
                  </>
                ) : (
                  <Payment
                    intentId={intentId}
                    choice={choice}
                    address={address}
                    merchant={data.merchant}
                  />
                )
              }
            </ForAccount>
          </Cards>
        )}
      </Answered>
    </>
  );
}

function MistypedLink({ campaignId }: { readonly campaignId: string }) {
  return (
    <>
      <PageHead title="The link in this address is mistyped" kind="Checkout" />
      <Panel title="This purchase would reward no one" tone="warn">
        <p>Open the link again that you got, or buy without it: the price is the same.</p>
        <p>
          <Link href={checkoutPath({ campaignId })}>Buy without a link</Link> or{' '}
          <Link href={pathOf('campaign', { campaignId })}>look at the campaign</Link>
        </p>
      </Panel>
    </>
  );
}
