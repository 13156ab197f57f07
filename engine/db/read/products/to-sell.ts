import type { Sql } from '../../connection.ts';
import {
  address,
  as,
  hex,
  nullable,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';

const productToSellRow = rowCodec({
  id: text,
  title: text,
  status: as<'draft' | 'ready' | 'archived'>(),
  version: small,
  skuHash: hex,
  /** The token that it is priced in; `null` if its merchant has not said. */
  token: nullable(address),
});

/** A product that a campaign is to sell. */
export type ProductToSell = View<typeof productToSellRow>;

/** A product of a merchant in any status; `undefined` if the merchant has none of that id. */
export async function productToSell(
  sql: Sql,
  merchantId: string,
  productId: string,
): Promise<ProductToSell | undefined> {
  const [row] = await sql<StoredRow[]>`
    select id, title, status, version, sku_hash, lower(token ->> 'address') as token
    from commerce.product where id = ${productId} and merchant_id = ${merchantId}`;
  return row && productToSellRow.decode(row);
}
