import type { Reply } from '../../api.ts';
import { Cards } from '../../components/card.tsx';
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
import { VerifyHere } from './verify/verify-here.tsx';
import { WhyThisAmount } from './why.tsx';

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
        <VerifyHere asked={asked} receipt={receipt} meta={meta} />
        <TermsOfSale receipt={receipt} />
      </Cards>
    </>
  );
}
