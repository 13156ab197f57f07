import { Card } from '../components/card.tsx';
import { Facts } from '../components/facts.tsx';
import { Time } from '../components/time.tsx';
import { countOf, duration } from '../format.ts';
import { type Campaign, usePreview } from './use-offer.ts';

const deliveries = {
  download: 'Files to download here',
  external: 'At the merchant’s site: you get the address here',
  manual: 'By the merchant, in another way',
} as const;

/** Terms that a buyer agrees to, in words: delivery, refunds and the hold. */
export function TermsCard({ campaign }: { readonly campaign: Campaign }) {
  const { product, policy, endsAt, capacity, counts } = campaign;
  const preview = usePreview({ campaignId: campaign.campaignId }).data?.data;
  const seconds = preview?.holdSeconds ?? policy.holdSeconds;
  const left = capacity.sales - counts.pending - counts.finalized - counts.refunded;
  return (
    <Card title="Delivery and refunds">
      <div className="stack">
        <Facts
          facts={[
            ['Delivery', deliveries[product.fulfillmentMode]],
            [
              'When',
              product.accessTiming === 'afterPurchase'
                ? 'As soon as the purchase is settled'
                : `When the hold is over, ${duration(seconds)} after the purchase`,
            ],
            ['Refund possible for', duration(seconds)],
            ['Left to sell', countOf(Math.max(0, left), 'sale')],
            ['On sale until', <Time key="ends" at={endsAt} />],
          ]}
        />
        <p>
          The contract holds your payment for {duration(seconds)}. In that time you can ask the
          merchant for a refund on this site, and the merchant decides. A refund is paid to you by
          the contract.
        </p>
        <p>
          <strong>Refund policy of the merchant: </strong>
          {product.refundPolicy === '' ? 'none was written.' : product.refundPolicy}
        </p>
      </div>
    </Card>
  );
}
