import { withProductDefaults } from '../../core/product.ts';
import type { Sql } from '../connection.ts';
import type { ProductInput } from '../rows/commerce.ts';

/**
 * Writes a product by its id. A change raises its version by one and keeps it as that version; the
 * same again changes nothing, and neither does an id that another merchant has.
 * @param now when it was written; left out, now.
 * @throws PostgresError where the merchant is unknown or sells that SKU under another id.
 */
export async function saveProduct(sql: Sql, product: ProductInput, now?: Date): Promise<void> {
  const stored = withProductDefaults(product);
  const row = {
    id: stored.id,
    merchant_id: stored.merchantId,
    sku_hash: stored.skuHash.toLowerCase(),
    title: stored.title,
    summary: stored.summary,
    outcome: stored.outcome,
    description: stored.description,
    category: stored.category,
    refund_policy: stored.refundPolicy,
    fulfillment_mode: stored.fulfillmentMode,
    deliverable: stored.deliverable,
    access_timing: stored.accessTiming,
    asks: sql.json({ ...stored.asks }),
    price: stored.price.toString(),
    token: stored.token ? sql.json({ ...stored.token }) : null,
    media: sql.json(stored.media.map((item) => ({ ...item }))),
    cover_url: stored.coverUrl,
    cover_alt: stored.coverAlt,
    variants: sql.json(stored.variants.map((variant) => ({ ...variant }))),
    billing_period: stored.billingPeriod,
    status: stored.status,
  };
  const [, , ...content] = Object.keys(row);
  const columns = (table: string) => sql(content.map((column) => `${table}.${column}`));
  const at = (now ?? new Date()).toISOString();
  await sql`
    with saved as (insert into commerce.product ${sql({ ...row, created_at: at, updated_at: at })}
      on conflict (id) do update set
        ( ${sql(content)} ) = row ( ${columns('excluded')} ),
        version = product.version + 1, updated_at = excluded.updated_at
      where product.merchant_id = excluded.merchant_id
        and row ( ${columns('product')} ) is distinct from row ( ${columns('excluded')} )
      returning *
    )
    insert into commerce.product_version (product_id, version, body, saved_at)
    select id, version, to_jsonb(saved) - 'words', updated_at from saved`;
}
