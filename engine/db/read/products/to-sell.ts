import type { Sql } from '../../connection.ts';
import { address, as, hex, nullable, rowCodec, small, text, type View } from '../../row.ts';

/** Row codec of `ProductToSell`. */
export const productToSell = rowCodec({
  id: text.from('product_id'),
  status: as<'draft' | 'ready' | 'archived'>().from('product_status'),
  version: small.from('product_version'),
  skuHash: hex.from('product_sku_hash'),
  /** The token that it is priced in; `null` if its merchant has not said. */
  token: nullable(address.from('product_token')),
});

/** A product that a campaign is to sell, in any status. */
export type ProductToSell = View<typeof productToSell>;

/** Columns of `productToSell`, of what `joinProductToSell` joins. */
export function productToSellColumns(sql: Sql) {
  return sql`
    product.id as product_id, product.status as product_status,
    product.version as product_version, product.sku_hash as product_sku_hash,
    lower(product.token ->> 'address') as product_token`;
}

/** Joins to `draft`, a draft of a campaign, the product that it names, if its merchant has it. */
export function joinProductToSell(sql: Sql) {
  return sql`
    left join commerce.merchant owner on owner.address = draft.merchant
    left join commerce.product product on product.merchant_id = owner.id
      and product.id = draft.draft ->> 'productId'`;
}
