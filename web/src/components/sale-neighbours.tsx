import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { useStatus } from '../status.ts';
import styles from './breadcrumbs.module.css';

interface SaleNeighboursProps {
  readonly chainId: number;
  readonly saleId: string;
}

/** Links to the sales before and after one, and to all: sales are numbered from 1 without gaps. */
export function SaleNeighbours({ chainId, saleId }: SaleNeighboursProps) {
  const newest = useStatus().data?.data.counts.sales ?? 0;
  // A sale of the sample's plan has an id that is no number.
  const number = /^\d+$/.test(saleId) ? BigInt(saleId) : undefined;
  const pathTo = (id: bigint) => pathOf('receipt', { chainId, saleId: String(id) });
  return (
    <nav aria-label="Other sales" className={styles.crumbs}>
      <Link href={pathOf('sales')}>Sales</Link>
      {number !== undefined && number > 1n && <Link href={pathTo(number - 1n)}>‹ Previous</Link>}
      {number !== undefined && number < BigInt(newest) && (
        <Link href={pathTo(number + 1n)}>Next ›</Link>
      )}
    </nav>
  );
}
