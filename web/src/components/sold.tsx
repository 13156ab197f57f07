import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import styles from './values.module.css';

type Sale = DataOf<Client['receipts']['recent']>['items'][number];

/** Variant and version of the product that were sold, in small text; nothing if its merchant described none. */
export function Sold({ sale }: { readonly sale: Pick<Sale, 'variant' | 'productVersion'> }) {
  const { variant, productVersion } = sale;
  if (productVersion === null) return null;
  return (
    <span className={styles.sold}>
      {variant && `${variant.name} · `}version {productVersion}
    </span>
  );
}
