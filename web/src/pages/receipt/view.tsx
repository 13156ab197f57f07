import { lazy, Suspense } from 'react';
import type { Reply } from '../../api.ts';
import { Card, Cards } from '../../components/card.tsx';
import { Loading } from '../../components/loading.tsx';
import { Panel } from '../../components/panel.tsx';
import type { Receipt } from './arithmetic.ts';
import { Discrepancies } from './discrepancies.tsx';
import { SaleHead } from './head.tsx';
import { Hold } from './hold.tsx';
import { useLiveReceipt } from './live.ts';
import { PathTree } from './path-tree.tsx';
import styles from './receipt.module.css';
import { Rewards } from './rewards.tsx';
import { TermsOfSale } from './terms.tsx';
import { Timeline } from './timeline.tsx';
import { WhyThisAmount } from './why.tsx';

/** Loaded while the amounts are read: it brings the code of wallets and RPCs. */
const VerifyHere = lazy(async () => ({
  default: (await import('./verify/verify-here.tsx')).VerifyHere,
}));

interface ReceiptViewProps {
  /** The sale of the page's address. */
  readonly asked: { readonly chainId: number; readonly saleId: string };
  readonly reply: Reply<Receipt>;
  readonly queryKey: readonly unknown[];
}

/** The receipt, and what changes of it while it is looked at. */
export function ReceiptView({ asked, reply, queryKey }: ReceiptViewProps) {
  const { data: receipt, meta } = reply;
  const live = useLiveReceipt(receipt, queryKey);
  return (
    <>
      <SaleHead receipt={receipt} meta={meta} connection={live.connection} />
      <p className="visually-hidden" role="status">
        {live.news}
      </p>
      <Cards>
        {live.removed !== undefined && (
          <Panel tone="bad" role="alert" title="A reorg changed this receipt">
            <p>{live.removed}</p>
          </Panel>
        )}
        <Discrepancies receipt={receipt} />
        <div className={styles.columns}>
          <Timeline receipt={receipt} />
          <Hold receipt={receipt} chainTime={live.chainTime ?? meta.chain?.blockTimestamp} />
        </div>
        <PathTree receipt={receipt} />
        <WhyThisAmount receipt={receipt} />
        {receipt.levels.length > 0 && <Rewards receipt={receipt} />}
        <Suspense
          fallback={
            <Card title="Verify in this browser" id="verify">
              <Loading what="the check" />
            </Card>
          }
        >
          <VerifyHere asked={asked} receipt={receipt} meta={meta} />
        </Suspense>
        <TermsOfSale receipt={receipt} />
      </Cards>
    </>
  );
}
