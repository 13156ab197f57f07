import { Link } from 'wouter';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type Meta, useApi } from '../../api.ts';
import { Amount } from '../../components/amount.tsx';
import { Button } from '../../components/button.tsx';
import { Facts } from '../../components/facts.tsx';
import { AsOf } from '../../components/finality.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { MoneyFlow } from '../../components/money-flow.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Picture } from '../../components/picture.tsx';
import { SaleNeighbours } from '../../components/sale-neighbours.tsx';
import { SaleState } from '../../components/sale-state.tsx';
import { Time } from '../../components/time.tsx';
import type { useLive } from '../../live.ts';
import { Share } from '../../share/share.tsx';
import type { Receipt } from './arithmetic.ts';
import styles from './receipt.module.css';
import { Verified, type VerifiedReceipt } from './verified.tsx';

interface SummaryProps {
  readonly receipt: Receipt;
  readonly meta: Meta;
  readonly connection: ReturnType<typeof useLive>;
  readonly verified: VerifiedReceipt | undefined;
}

/** The receipt on one screen: what was bought, who is paid, its state, and what was verified. */
export function Summary({ receipt, meta, connection, verified }: SummaryProps) {
  const { saleId, chainId, product, token } = receipt;
  return (
    <>
      <PageHead title={product.title} kind={<SaleNeighbours chainId={chainId} saleId={saleId} />}>
        <div className={styles.badges}>
          <span>Receipt of sale {saleId}</span>
          <SaleState value={receipt.state} />
          <LiveBadge state={connection} />
          <AsOf meta={meta} newestEvent={receipt.transitions.at(-1)?.blockNumber} />
        </div>
      </PageHead>
      <div className={styles.object}>
        <div className={styles.bought}>
          <SoldPicture receipt={receipt} />
          <p className={styles.price}>
            <Amount value={receipt.amount} token={token} exact />
          </p>
          <Facts
            facts={[
              ['Variant', receipt.variant?.name],
              ['Bought', <Time key="at" at={receipt.recordedAt} />],
              ['Confirmed by', trustOf(receipt)],
            ]}
          />
          <div className="actions">
            <Share
              path={pathOf('receipt', { chainId, saleId })}
              title={`Receipt: ${product.title}`}
            />
            <Button onClick={() => window.print()}>Print</Button>
          </div>
        </div>
        <section aria-label="Who is paid" className={styles.paid}>
          <h2>Who is paid</h2>
          <MoneyFlow receipt={receipt} />
        </section>
        <Verified shown={receipt} verified={verified} />
      </div>
    </>
  );
}

/**
 * Cover of the version that was sold, or else of the product today, which leads to the product; an empty area if its
 * merchant described none.
 */
function SoldPicture({ receipt: { product, productVersion } }: Pick<SummaryProps, 'receipt'>) {
  const sold = { id: product.id, version: productVersion ?? 0 };
  const options = { enabled: productVersion !== null };
  const query = useApi(['versions.get'], api.versions.get, sold, options);
  const media = query.data?.data.media ?? [];
  const hasNone = query.isSuccess && !media.some(({ kind }) => kind === 'image');
  const today = useApi(
    ['products.get'],
    api.products.get,
    { id: product.id },
    { enabled: hasNone },
  );
  if (productVersion === null) return null;
  return (
    <Link
      href={pathOf('product', { productId: product.id })}
      className={styles.picture}
      aria-label={`Go to ${product.title}`}
    >
      <Picture
        media={hasNone ? (today.data?.data.media ?? []) : media}
        alt=""
        size="cover"
        name={query.isPending || today.isLoading ? '' : product.title}
      />
    </Link>
  );
}

function trustOf({ trustMode }: Receipt): string {
  if (trustMode === 'NATIVE_ONCHAIN') return 'the contract, which was paid';
  return trustMode === 'MERCHANT_ATTESTED' ? 'the merchant, who signed' : 'an attester, who signed';
}
