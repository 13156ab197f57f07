import { Link } from 'wouter';
import type { Pages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import type { TableColumn } from '../../../components/data-table.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { words } from '../../../format.ts';
import { productPath } from '../paths.ts';
import type { OwnProduct } from './product-values.ts';
import styles from './products.module.css';

const columns: readonly TableColumn<OwnProduct>[] = [
  {
    name: 'Product',
    cell: (product) => (
      <span className={styles.named}>
        <Picture product={product} />
        <Link href={productPath(product.id)}>{product.title || 'Without a title'}</Link>
      </span>
    ),
  },
  { name: 'Status', cell: (product) => <ProductStatus product={product} /> },
  {
    name: 'Price',
    numeric: true,
    cell: ({ token, priceBaseUnits }) =>
      token === null ? '–' : <Amount value={priceBaseUnits} token={token} />,
  },
  { name: 'Live campaigns', numeric: true, cell: ({ liveCampaignCount }) => liveCampaignCount },
  { name: 'Version', numeric: true, cell: ({ version }) => version },
  { name: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** The merchant's products, last changed first. */
export function ProductList({ pages }: { readonly pages: Pages<OwnProduct> }) {
  return (
    <ListCard
      title="Products"
      caption="Your products"
      columns={columns}
      pages={pages}
      rowKey={({ id }) => id}
      empty="You have no products yet. Create one: a campaign sells a product."
    />
  );
}

const tones: Readonly<Record<OwnProduct['status'], Tone>> = {
  draft: 'warn',
  ready: 'good',
  archived: 'plain',
};

/** Status of a product: a draft cannot be sold yet. */
export function ProductStatus({ product }: { readonly product: OwnProduct }) {
  const { status, missing } = product;
  const count = missing.length;
  return (
    <Badge tone={tones[status]}>
      {words(status)}
      {status === 'draft' && count > 0 && ` · ${count} missing`}
    </Badge>
  );
}

/** The cover of a product, small. */
function Picture({ product }: { readonly product: Pick<OwnProduct, 'coverUrl'> }) {
  return product.coverUrl ? (
    <img className={styles.thumb} src={product.coverUrl} alt="" />
  ) : (
    <span className={styles.thumb} aria-hidden="true" />
  );
}
