import type { Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import { as, date, hex, rowCodec, type StoredRow, type View } from '../../row.ts';
import type { ProductToken } from '../../rows/commerce.ts';
import { joinSoldToken, tokenColumns, tokenOfProduct } from '../products/get.ts';
import { merchantView, productColumns, productView } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';

const productVersion = rowCodec({
  seller: merchantView.fields,
  product: productView.fields,
  skuHash: hex,
  status: as<'ready' | 'archived'>(),
  savedAt: date,
});

/** A published version of a product. */
export interface ProductVersionView extends View<typeof productVersion> {
  /** As its merchant said then, or else the token of the product's newest campaign; `null` without either. */
  readonly token: ProductToken | null;
}

/**
 * Published versions of a product, newest first: one statement. Empty if there is no such product, or it is a
 * draft.
 * @param page versions below `below`, or only the version `only`.
 */
export async function productVersions(
  { sql, head }: Snapshot,
  productId: string,
  page: { readonly below?: string | undefined; readonly only?: number; readonly limit: number },
): Promise<ProductVersionView[]> {
  const { below, only, limit } = page;
  const rows = await sql<StoredRow[]>`
    select ${productColumns(sql)}, product.sku_hash, product.status, saved.saved_at,
      ${tokenColumns(sql)}
    from commerce.product known
    join commerce.merchant merchant on merchant.id = known.merchant_id
    join commerce.product_version saved on saved.product_id = known.id
    ${versionAsProduct(sql)}
    ${joinSoldToken(sql, head.number)}
    where known.id = ${productId} and known.status <> 'draft'
      and saved.body ->> 'status' <> 'draft'
      ${below === undefined ? sql`` : sql`and saved.version < ${below}::bigint`}
      ${only === undefined ? sql`` : sql`and saved.version = ${only}`}
    order by saved.version desc ${limitTo(sql, limit)}`;
  return rows.map((row) => ({ ...productVersion.decode(row), token: tokenOfProduct(row) }));
}

/** Joins to `saved`, a row of `commerce.product_version`, the row of the product then, as `product`. */
function versionAsProduct(sql: Sql) {
  return sql`
    cross join lateral jsonb_populate_record(null::commerce.product, saved.body) product`;
}
