import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import type { Pages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge, type Tone } from '../../../components/badge.tsx';
import * as column from '../../../components/columns.tsx';
import type { TableColumn } from '../../../components/data-table.tsx';
import { ListCard } from '../../../components/list.tsx';
import { type RowAction, RowMenu } from '../../../components/row-menu.tsx';
import { words } from '../../../format.ts';
import { useActing, useMay } from '../acting.tsx';
import { campaignPath, productPath } from '../paths.ts';
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
  column.time('Changed', 'updatedAt'),
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
      menu={(product) => <ProductMenu product={product} />}
      empty="You have no products yet. Create one: a campaign sells a product."
    />
  );
}

function ProductMenu({ product }: { readonly product: OwnProduct }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const may = useMay('admin');
  const { id, title, status, usedBy } = product;
  async function remove() {
    await api.products.remove({ id });
    await queries.invalidateQueries({ queryKey: [...key, 'products.list'] });
  }
  const name = title || 'this draft';
  const isDraft = status === 'draft' && usedBy.length === 0;
  const actions: RowAction[] = [
    { name: 'Edit', href: productPath(id) },
    ...(status === 'draft'
      ? []
      : [{ name: 'Public page', href: pathOf('product', { productId: id }) }]),
    ...usedBy.map((use) => ({
      name: `Campaign ${use.campaignId}`,
      href: campaignPath(use.campaignId),
    })),
  ];
  const deletion: RowAction = {
    name: 'Delete',
    disabled: !may,
    ask: { title: `Delete ${name}?`, text: 'Its texts and files are gone for good.' },
    run: remove,
  };
  return <RowMenu of={name} actions={isDraft ? [...actions, deletion] : actions} />;
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
