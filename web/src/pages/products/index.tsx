import { Link } from 'wouter';
import type { Client } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, usePages } from '../../api.ts';
import { campaignName } from '../../campaign-name.ts';
import { Amount } from '../../components/amount.tsx';
import { AsOf } from '../../components/finality.tsx';
import { Paged } from '../../components/list.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Picture } from '../../components/picture.tsx';
import { FilterBar, FilterSelect, FilterText } from '../../filters/filter-bar.tsx';
import { useFilters } from '../../filters/use-filters.ts';
import { countOf, percent } from '../../format.ts';
import { campaignFilters, campaignQuery, sorts } from '../campaigns/campaign-query.ts';
import { CategoryFilter } from '../campaigns/category-filter.tsx';
import styles from './products.module.css';

type Offer = DataOf<Client['campaigns']['list']>['items'][number];

/** Products that can be bought now: a card for each product, with the campaigns that sell it. */
export function ProductsPage() {
  const filters = useFilters(...campaignFilters);
  const pages = usePages(['campaigns.list'], api.campaigns.list, {
    ...campaignQuery(filters),
    status: 'active',
    limit: 24,
  });
  const products = byProduct(pages.items);
  return (
    <>
      <PageHead title="Products">
        <p>What campaigns sell now.</p>
        <AsOf meta={pages.meta} />
      </PageHead>
      <div className="stack">
        <FilterBar
          filters={filters}
          found={pages.query.isSuccess ? countOf(products.length, 'product') : undefined}
        >
          <FilterText filters={filters} name="q" label="Words" />
          <CategoryFilter filters={filters} />
          <FilterSelect filters={filters} name="sort" label="Sort by" options={sorts.slice(0, 3)} />
        </FilterBar>
        <Paged
          pages={pages}
          what="Products"
          empty="Nothing matches. Clear a filter, or use other words."
        >
          {() => (
            <ul className={styles.products} aria-label="Products">
              {products.map(([id, offers]) => (
                <ProductCard key={id} offers={offers} />
              ))}
            </ul>
          )}
        </Paged>
      </div>
    </>
  );
}

/** Offers by their product, in the order of the list. */
function byProduct(offers: readonly Offer[]): readonly (readonly [string, readonly Offer[]])[] {
  const found = new Map<string, Offer[]>();
  for (const offer of offers) {
    const { id } = offer.product;
    found.set(id, [...(found.get(id) ?? []), offer]);
  }
  return [...found];
}

function ProductCard({ offers }: { readonly offers: readonly Offer[] }) {
  const [offer] = offers;
  if (offer === undefined) return null;
  const { product, merchant } = offer;
  return (
    <li className={styles.product}>
      <Picture media={product.media} alt="" size="cover" />
      <h2>
        <Link href={pathOf('product', { productId: product.id })}>{campaignName(offer)}</Link>
      </h2>
      <p className={styles.by}>
        {product.category} by <Link href={pathOf('merchant', merchant)}>{merchant.name}</Link>
      </p>
      <p>{product.summary}</p>
      <ul className={styles.offers}>
        {offers.map(({ campaignId, price, token, policy }) => (
          <li key={campaignId}>
            <Amount value={price} token={token} />
            <Link href={pathOf('campaign', { campaignId })}>
              {percent(policy.commissionBps)} reward
            </Link>
          </li>
        ))}
      </ul>
    </li>
  );
}
