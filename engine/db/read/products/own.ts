import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import {
  address,
  as,
  hex,
  id,
  nullable,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import type { ProductInput, ProductToken } from '../../rows/commerce.ts';
import { prefixQuery, searchWords } from '../campaigns/filters.ts';
import { joinSoldToken, tokenColumns, tokenOfProduct } from './get.ts';
import { productColumns, productView } from './rows.ts';

const ownProduct = rowCodec({
  ...productView.fields,
  merchantId: text,
  skuHash: hex,
  /** The merchant's address. */
  address: address.from('merchant'),
  deliverable: nullable(text),
  status: as<NonNullable<ProductInput['status']>>(),
});

/** A product as its merchant sees it. */
export interface OwnProduct extends View<typeof ownProduct> {
  /** As its merchant says, or else the token of its newest campaign; `null` without either. */
  readonly token: ProductToken | null;
}

const productCursor = rowCodec({
  /** Time of the last change, in microseconds since 1970. */
  changedAt: id,
  id: text.from('product_id'),
});

/** Cursor of a page of products: its last product. */
export type ProductCursor = View<typeof productCursor>;

/** A page of a merchant's products. */
export interface OwnProductPage {
  readonly items: readonly OwnProduct[];
  /** `null` on the last page. */
  readonly next: ProductCursor | null;
}

/** A product of a merchant in any status; `undefined` if the merchant has none of that id. */
export async function readOwnProduct(
  sql: Sql,
  merchant: Address,
  productId: string,
): Promise<OwnProduct | undefined> {
  const [row] = await sql<StoredRow[]>`
    ${selectProducts(sql)} where merchant.address = ${merchant} and product.id = ${productId}`;
  return row && ownProductOf(row);
}

/** Products of a merchant, the most recently changed first: one statement. */
export async function listOwnProducts(
  sql: Sql,
  merchant: Address,
  list: {
    readonly status: OwnProduct['status'] | undefined;
    /** Words, each of which must begin a word of title or summary. */
    readonly q: string | undefined;
    readonly after: ProductCursor | undefined;
    readonly limit: number;
  },
): Promise<OwnProductPage> {
  const { status, q, after, limit } = list;
  const conditions = [
    sql`merchant.address = ${merchant}`,
    ...(status === undefined ? [] : [sql`and product.status = ${status}`]),
    ...(after === undefined ? [] : [sql`and ${afterProduct(sql, after)}`]),
    ...searchWords(q).map(
      (word) => sql`and product.words @@ to_tsquery('simple', ${prefixQuery(word)})`,
    ),
  ];
  const rows = await sql<StoredRow[]>`
    ${selectProducts(sql)}
    where ${conditions}
    order by product.updated_at desc, product.id desc limit ${limit + 1}`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(ownProductOf),
    next: last ? productCursor.decode(last) : null,
  };
}

function afterProduct(sql: Sql, { changedAt, id }: ProductCursor) {
  return sql`(product.updated_at, product.id)
    < (timestamptz 'epoch' + ${changedAt}::bigint * interval '1 microsecond', ${id})`;
}

/** Only the token comes from the ledger, as of the settled block if there is one. */
function selectProducts(sql: Sql) {
  return sql`
    select ${productColumns(sql)}, product.sku_hash, product.deliverable, product.status,
      ${tokenColumns(sql)},
      (extract(epoch from product.updated_at) * 1000000)::bigint as changed_at
    from commerce.merchant merchant
    join commerce.product product on product.merchant_id = merchant.id
    ${joinSoldToken(sql, sql`(select settled_number from ledger.head)`)}`;
}

function ownProductOf(row: StoredRow): OwnProduct {
  return { ...ownProduct.decode(row), token: tokenOfProduct(row) };
}
