import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, useApi } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Loading } from '../../components/loading.tsx';
import { MoneyFlow } from '../../components/money-flow.tsx';
import { SaleState } from '../../components/sale-state.tsx';
import { Time } from '../../components/time.tsx';
import styles from './home.module.css';
import { RECENT, RECENT_KEY } from './recent-query.ts';

/** The newest sale through a link, and whom it pays. */
export function NewestReceipt() {
  const recent = useApi(RECENT_KEY, api.receipts.recent, RECENT);
  const sales = recent.data?.data.items;
  const newest = sales?.find(({ nodeId, state }) => nodeId !== null && state !== 'refunded');
  const { chainId = 0, saleId = '' } = newest ?? {};
  const query = useApi(
    ['receipts.get'],
    api.receipts.get,
    { chainId, saleId },
    { enabled: newest !== undefined },
  );
  const receipt = query.data?.data;
  const isOver = recent.error ?? query.error ?? (sales !== undefined && newest === undefined);
  // Nothing is sold yet, or nothing can be read: the list below says which.
  if (isOver && receipt === undefined) return <div className={styles.receipt} />;
  if (receipt === undefined) {
    return (
      <div className={styles.receipt}>
        <Loading what="a receipt" lines={8} />
      </div>
    );
  }
  return (
    <section className={styles.receipt} aria-label="A receipt">
      <div className={styles.receiptHead}>
        <div>
          <p className="soft tiny">
            Sale {receipt.saleId}, <Time at={receipt.recordedAt} />
          </p>
          <h2>{receipt.product.title}</h2>
        </div>
        <p className={styles.price}>
          <Amount value={receipt.amount} token={receipt.token} />
        </p>
      </div>
      <MoneyFlow receipt={receipt} />
      <p className={styles.receiptFoot}>
        <SaleState value={receipt.state} />
        <Link href={pathOf('receipt', receipt)}>Open and verify this receipt →</Link>
      </p>
    </section>
  );
}
