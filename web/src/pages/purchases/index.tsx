import { useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { MINE } from '../../account/session.ts';
import { ForAccount } from '../../account/sign-in.tsx';
import { api, usePages } from '../../api.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Cards } from '../../components/card.tsx';
import * as column from '../../components/columns.tsx';
import type { TableColumn } from '../../components/data-table.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { ListCard } from '../../components/list.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Time } from '../../components/time.tsx';
import { type Choice, checkoutPath } from '../../offer/use-offer.ts';
import { Delivery } from '../../purchase/delivery.tsx';
import { MerchantContact } from '../../purchase/merchant-contact.tsx';
import { refundStates } from '../../purchase/refund-state.ts';
import { RefundThread } from '../../purchase/refund-thread.tsx';
import { type Purchase, RequestRefund } from '../../purchase/request-refund.tsx';
import { Unfinished } from '../../purchase/unfinished.tsx';
import styles from './purchases.module.css';

/** The purchases of the signed-in account: receipts, what they give access to, and refund requests. */
export function PurchasesPage() {
  return (
    <>
      <PageHead title="My purchases" />
      <ForAccount
        demo="buyer"
        why="Then you see what you bought, get what it gives access to, and can ask for refunds."
      >
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

const columns: readonly TableColumn<Purchase>[] = [
  { name: 'Product', cell: (purchase) => <Bought purchase={purchase} /> },
  column.amount('Price', 'amount'),
  { name: 'State', cell: (purchase) => <State purchase={purchase} /> },
  column.time('Bought', 'recordedAt'),
  { name: 'Delivery', cell: (purchase) => <Get purchase={purchase} /> },
  { name: 'Refund', cell: (purchase) => <Refund purchase={purchase} /> },
];

/** The product with its picture, its merchant, and the way to receipt and merchant. */
function Bought({ purchase }: { readonly purchase: Purchase }) {
  const { product, variant, merchant, coverUrl, supportEmail, saleId } = purchase;
  return (
    <span className={styles.bought}>
      {coverUrl === null ? (
        <span className={styles.noCover} aria-hidden="true">
          {product.title.slice(0, 1)}
        </span>
      ) : (
        <img className={styles.cover} src={new URL(coverUrl).pathname} alt="" loading="lazy" />
      )}
      <span className={styles.texts}>
        <Link href={pathOf('receipt', purchase)}>{product.title}</Link>
        {variant && <span className="soft">{variant.name}</span>}
        <span className="soft">
          from <Link href={pathOf('merchant', merchant)}>{merchant.name}</Link>
          {supportEmail !== null && (
            <>
              {' '}
              ·{' '}
              <a
                href={`mailto:${encodeURIComponent(supportEmail)}?subject=${encodeURIComponent(`My purchase ${saleId}: ${product.title}`)}`}
                aria-label={`Get help with sale ${saleId}`}
              >
                Get help
              </a>
            </>
          )}
        </span>
      </span>
    </span>
  );
}

/** State of a purchase in the words of a buyer. */
function State({ purchase }: { readonly purchase: Purchase }) {
  const { state, amount, refundedTotal, holdUntil } = purchase;
  if (state === 'refunded') return <Badge tone="plain">Refunded</Badge>;
  if (state === 'reversed') return <Badge tone="plain">Cancelled</Badge>;
  if (state === 'finalized') return <Badge tone="good">Completed</Badge>;
  const isPartly = refundedTotal !== '0' && refundedTotal !== amount;
  return (
    <span className={styles.texts}>
      <Badge tone="good">{isPartly ? 'Partly refunded' : 'Paid'}</Badge>
      <span className="soft">
        refundable until <Time exact at={holdUntil} />
      </span>
    </span>
  );
}

function PurchaseList() {
  const pages = usePages([MINE, 'receipts.forBuyer'], api.receipts.forBuyer, { limit: 20 });
  return (
    <ListCard
      title="Purchases"
      caption="Your purchases"
      pages={pages}
      empty={
        <>
          You have bought nothing yet. <Link href={pathOf('products')}>Look at the products</Link>,
          or open a link that somebody gave you: what you buy appears here with its receipt, its
          delivery and its refund.
        </>
      }
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
      <Button
        className={styles.button}
        onClick={() => setOpen(true)}
        aria-label={`${name}: sale ${saleId}`}
      >
        {name}
      </Button>
      <Dialog title={product.title} open={open} onClose={() => setOpen(false)}>
        <div className="stack">
          <Delivery saleId={saleId} />
          {purchase.intentId !== null && (
            <p>
              <Link href={checkoutPath(choiceOf(purchase), purchase.intentId)}>Your order</Link>
            </p>
          )}
          <Contact purchase={purchase} />
        </div>
      </Dialog>
    </>
  );
}

function Refund({ purchase }: { readonly purchase: Purchase }) {
  const [open, setOpen] = useState(false);
  const { saleId, product, dispute, refundable } = purchase;
  const close = () => setOpen(false);
  if (dispute === null && !refundable) return <>Not possible any more</>;
  const isWithdrawn = dispute?.status === 'withdrawn' && refundable;
  const state = dispute && refundStates[dispute.status];
  return (
    <>
      {state && <Badge tone={state.tone}>{state.name}</Badge>}{' '}
      <Button
        className={styles.button}
        onClick={() => setOpen(true)}
        aria-label={
          dispute
            ? `Show the refund request of sale ${saleId}`
            : `Ask for a refund of sale ${saleId}`
        }
      >
        {dispute ? 'Show' : 'Ask for a refund'}
      </Button>
      <Dialog title={`Refund of ${product.title}`} open={open} onClose={close}>
        <div className="stack">
          {dispute && <RefundThread id={dispute.id} />}
          {isWithdrawn && <h3>Ask again</h3>}
          {(dispute === null || isWithdrawn) && (
            <RequestRefund purchase={purchase} onDone={close} />
          )}
          <Contact purchase={purchase} />
        </div>
      </Dialog>
    </>
  );
}

function Contact({ purchase }: { readonly purchase: Purchase }) {
  const { merchant, supportEmail, product, saleId } = purchase;
  return (
    <MerchantContact
      name={merchant.name}
      email={supportEmail}
      about={`My purchase ${saleId}: ${product.title}`}
    />
  );
}

function choiceOf({ campaignId, product, nodeId }: Purchase): Choice {
  return { campaignId, skuHash: product.skuHash, nodeId: nodeId ?? undefined };
}
