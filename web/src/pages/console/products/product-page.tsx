import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { type RequestOptions, useRead } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Card, Cards } from '../../../components/card.tsx';
import { ConfirmButton } from '../../../components/confirm-button.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Empty } from '../../../components/empty.tsx';
import { Panel } from '../../../components/panel.tsx';
import { useActing } from '../acting.tsx';
import { CampaignBadge } from '../campaign-badge.tsx';
import { campaignPath, sectionPath } from '../paths.ts';
import { ProductForm } from './product-form.tsx';
import { ProductStatus } from './product-list.tsx';
import { missingNames, type OwnProduct } from './product-values.ts';
import { ProductVersions } from './product-versions.tsx';
import styles from './products.module.css';

/** One product: its form, its files, its versions, and the campaigns that sell it. */
export function ProductPage({ productId }: { readonly productId: string }) {
  const { api, key } = useActing();
  const query = useRead([...key, 'product', productId], (options) =>
    findProduct(api, productId, options),
  );
  return (
    <>
      <p className={styles.back}>
        <Link href={sectionPath('products')}>All products</Link>
      </p>
      <Answered query={query} what="The product">
        {({ data }) => <Product product={data} />}
      </Answered>
    </>
  );
}

function Product({ product }: { readonly product: OwnProduct }) {
  const { title, status, missing, usedBy } = product;
  return (
    <Cards>
      <Card title={title || 'Product without a title'} aside={<ProductStatus product={product} />}>
        {status === 'draft' && missing.length > 0 && (
          <p className={styles.missing}>
            Before it can be sold it needs {missing.map((part) => missingNames[part]).join(', ')}.
          </p>
        )}
        <ProductForm key={product.id} product={product} />
      </Card>
      <Card title="Campaigns that sell it">
        {usedBy.length === 0 ? (
          <Empty>No campaign sells it yet.</Empty>
        ) : (
          <DataTable
            caption="Campaigns that sell this product"
            rows={usedBy}
            rowKey={({ campaignId }) => campaignId}
            columns={[
              {
                name: 'Campaign',
                cell: ({ campaignId, name }) => (
                  <Link href={campaignPath(campaignId)}>
                    {campaignId} · {name}
                  </Link>
                ),
              },
              { name: 'State', cell: ({ state }) => <CampaignBadge state={state} /> },
              { name: 'Product version', numeric: true, cell: (use) => use.productVersion },
            ]}
          />
        )}
      </Card>
      {status === 'draft' ? (
        <RemoveProduct product={product} />
      ) : (
        <ProductVersions productId={product.id} token={product.token} />
      )}
    </Cards>
  );
}

function RemoveProduct({ product: { id, title, usedBy } }: { readonly product: OwnProduct }) {
  const { api, key } = useActing();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  if (usedBy.length > 0) return null;
  async function remove() {
    await api.products.remove({ id });
    navigate(sectionPath('products'));
    await queries.invalidateQueries({ queryKey: [...key, 'products.list'] });
  }
  return (
    <Panel title="Delete the draft">
      <p>A product that was never published can be deleted, together with its files.</p>
      <ConfirmButton name="Delete" title={`Delete ${title || 'this draft'}?`} onConfirm={remove}>
        Its texts and files are gone for good.
      </ConfirmButton>
    </Panel>
  );
}

/** The merchant's product with an id. The API lists products, and has no method for one with its deliverable. */
async function findProduct(api: Client, productId: string, options: RequestOptions) {
  let cursor: string | undefined;
  for (;;) {
    const page = cursor === undefined ? {} : { cursor };
    const { data, meta } = await api.products.list({ ...page, limit: 100 }, options);
    const found = data.items.find(({ id }) => id === productId);
    if (found !== undefined) return { data: found, meta };
    if (data.nextCursor === null) throw new Error('You have no product of this id.');
    cursor = data.nextCursor;
  }
}
