import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';

/** What a campaign needs to know of a product. */
export interface ProductToSell {
  readonly id: string;
  readonly title: string;
  readonly status: 'draft' | 'ready' | 'archived';
  readonly version: number;
  readonly skuHash: Hex;
  /** What it is priced in; `null` where its merchant has not said. */
  readonly token: Address | null;
}

/** A product of a merchant, in whatever status; `undefined` where it has none of that id. */
export async function productToSell(
  sql: Sql,
  merchantId: string,
  productId: string,
): Promise<ProductToSell | undefined> {
  const [row] = await sql<
    {
      id: string;
      title: string;
      status: ProductToSell['status'];
      version: number;
      sku_hash: Hex;
      token: Address | null;
    }[]
  >`
    select id, title, status, version, sku_hash, lower(token ->> 'address') as token
    from commerce.product where id = ${productId} and merchant_id = ${merchantId}`;
  if (row === undefined) return undefined;
  const { id, title, status, version, sku_hash: skuHash, token } = row;
  return { id, title, status, version, skuHash, token };
}
