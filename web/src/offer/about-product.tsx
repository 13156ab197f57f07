import type { Client } from '../../../engine/client/index.ts';
import type { DataOf } from '../api.ts';
import { Card } from '../components/card.tsx';
import { words } from '../format.ts';
import styles from './offer.module.css';

type Product = DataOf<Client['products']['get']>;

/** Texts about a product, in its merchant’s words. */
export function AboutProduct({ product }: { readonly product: Product }) {
  const { summary, outcome, description, category, billingPeriod } = product;
  return (
    <Card title="What you get">
      <div className="stack">
        {summary !== '' && <p className={styles.lead}>{summary}</p>}
        {outcome !== '' && <p>{outcome}</p>}
        {description !== '' && <p className="lines">{description}</p>}
        <p className="soft">
          {category !== '' && <>Category: {category}. </>}
          {billingPeriod !== null && <>Sold for one period at a time ({words(billingPeriod)}). </>}
          Text and pictures are the merchant’s own and were not checked.
        </p>
      </div>
    </Card>
  );
}
