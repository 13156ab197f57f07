import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import type { api, DataOf } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Campaign } from '../../offer/use-offer.ts';
import { Delivery } from '../../purchase/delivery.tsx';
import { ProfileContact } from '../../purchase/merchant-contact.tsx';

interface Props {
  readonly intent: DataOf<typeof api.checkout.getIntent>;
  readonly saleId: string;
  readonly merchant: Campaign['merchant'];
}

/** The end of a purchase: its receipt, and what it gives access to. */
export function Paid({ intent: { chainId }, saleId, merchant }: Props) {
  return (
    <>
      <Panel title="Paid" tone="good" role="status">
        <p>Thank you. Your payment is recorded, and {merchant.name} has your order.</p>
        <p>
          <Link href={pathOf('receipt', { chainId, saleId })}>Your receipt</Link> shows who is paid
          from it and lets you verify it. <Link href={pathOf('purchases')}>My purchases</Link> has
          it with its downloads and refunds.
        </p>
      </Panel>
      <Card title="What you bought">
        <div className="stack">
          <Delivery saleId={saleId} />
          <ProfileContact merchant={merchant} about={`My purchase ${saleId}`} />
        </div>
      </Card>
    </>
  );
}
