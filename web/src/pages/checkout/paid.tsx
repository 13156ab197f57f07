import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import type { api, DataOf } from '../../api.ts';
import { Card } from '../../components/card.tsx';
import { Panel } from '../../components/panel.tsx';
import { Delivery } from '../../purchase/delivery.tsx';

interface Props {
  readonly intent: DataOf<typeof api.checkout.getIntent>;
  readonly saleId: string;
}

/** The end of a purchase: its receipt, and what it gives access to. */
export function Paid({ intent: { chainId }, saleId }: Props) {
  return (
    <>
      <Panel title="Paid" tone="good" role="status">
        <p>
          Your purchase is sale {saleId} on chain {chainId}.
        </p>
        <p>
          <Link href={pathOf('receipt', { chainId, saleId })}>Your receipt</Link> shows who is paid
          from it and lets you verify it. <Link href={pathOf('purchases')}>My purchases</Link> has
          it with its downloads and refunds.
        </p>
      </Panel>
      <Card title="What you bought">
        <Delivery saleId={saleId} />
      </Card>
    </>
  );
}
