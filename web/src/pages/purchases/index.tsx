import { useState } from 'react';
import { ForAccount } from '../../account/sign-in.tsx';
import { MINE } from '../../account/use-session.ts';
import { api, usePages } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Cards } from '../../components/card.tsx';
import type { TableColumn } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ListCard } from '../../components/list.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { Delivery } from '../../purchase/delivery.tsx';
import { refundStates } from '../../purchase/refund-state.ts';
import { RefundThread } from '../../purchase/refund-thread.tsx';
import { type Purchase, RequestRefund } from '../../purchase/request-refund.tsx';
import { Unfinished } from '../../purchase/unfinished.tsx';

/** The purchases of the signed-in account: receipts, what they give access to, and refund requests. */
export function PurchasesPage() {
  return (
    <>
      <PageHead title="My purchases" />
      <ForAccount why="Then you see what you bought, get what it gives access to, and can ask for refunds.">
        {() => <Purchases />}
      </ForAccount>
    </>
  );
}

/** Unfinished and finished purchases of the signed-in account. */
export function Purchases() {
  return (
    <Cards>
      <Unfinished />
      <PurchaseList />
    </Cards>
  );
}

/** Columns of every list of receipts that say something to the buyer. */
const shared = receiptColumns.filter(({ name }) =>
  ['Sale', 'Price', 'State', 'Recorded'].includes(name),
);

const columns: readonly TableColumn<Purchase>[] = [
  ...shared,
  { name: 'Delivery', cell: (purchase) => <Get purchase={purchase} /> },
  { name: 'Refund', cell: (purchase) => <Refund purchase={purchase} /> },
];

function PurchaseList() {
  const pages = usePages([MINE, 'receipts.forBuyer'], api.receipts.forBuyer, { limit: 20 });
  return (
    <ListCard
      title="Purchases"
      caption="Your purchases"
      pages={pages}
      empty="This account has bought nothing yet. Open a product’s link or page, and buy it there."
      rowKey={({ saleId }) => saleId}
      columns={columns}
    />
  );
}

function Get({ purchase }: { readonly purchase: Purchase }) {
  const [open, setOpen] = useState(false);
  const { saleId, product, fulfillment } = purchase;
  if (fulfillment.availableFrom === null) return <>None after the refund</>;
  const name = fulfillment.available ? 'Get it' : 'When?';
  return (
    <>
      <Button onClick={() => setOpen(true)} aria-label={`${name}: sale ${saleId}`}>
        {name}
      </Button>
      <Dialog title={product.title} open={open} onClose={() => setOpen(false)}>
        <Delivery saleId={saleId} />
      </Dialog>
    </>
  );
}

function Refund({ purchase }: { readonly purchase: Purchase }) {
  const [open, setOpen] = useState(false);
  const { saleId, dispute, refundable } = purchase;
  const close = () => setOpen(false);
  if (dispute === null && !refundable) return <>Not possible any more</>;
  const isWithdrawn = dispute?.status === 'withdrawn' && refundable;
  const state = dispute && refundStates[dispute.status];
  return (
    <>
      {state && <Badge tone={state.tone}>{state.name}</Badge>}{' '}
      <Button
        onClick={() => setOpen(true)}
        aria-label={
          dispute
            ? `Show the refund request of sale ${saleId}`
            : `Ask for a refund of sale ${saleId}`
        }
      >
        {dispute ? 'Show' : 'Ask for a refund'}
      </Button>
      <Dialog title={`Refund of sale ${saleId}`} open={open} onClose={close}>
        {dispute && <RefundThread id={dispute.id} />}
        {isWithdrawn && <h3>Ask again</h3>}
        {(dispute === null || isWithdrawn) && <RequestRefund purchase={purchase} onDone={close} />}
      </Dialog>
    </>
  );
}
