import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import styles from './values.module.css';

type Sale = DataOf<Client['receipts']['recent']>['items'][number];

/** Variant of the product that was sold, and its version if there were others before it, in small text. */
export function Sold({ sale }: { readonly sale: Pick<Sale, 'variant' | 'productVersion'> }) {
  const { variant, productVersion } = sale;
  const isLater = productVersion !== null && productVersion > 1;
  const texts = [variant?.name, isLater && `version ${productVersion}`].filter(Boolean);
  if (texts.length === 0) return null;
  return <span className={styles.sold}>{texts.join(' · ')}</span>;
}
