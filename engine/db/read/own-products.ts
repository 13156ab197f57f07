import type { Address, Hex } from '../../core/events.ts';
import type { ProductInput, ProductToken } from '../commerce/save-product.ts';
import type { Sql } from '../connection.ts';
import { prefixQuery, searchWords } from './campaign-filters.ts';
import { type SoldTokenRow, soldIn } from './get-product.ts';
import { type ProductRow, type ProductView, productColumns, productOf } from './product-rows.ts';

/** A product as its merchant sees it. */
export interface OwnProduct extends ProductView {
  readonly merchantId: string;
  readonly skuHash: Hex;
  /** Of the merchant. */
  readonly address: Address;
  readonly deliverable: string | null;
  readonly status: NonNullable<ProductInput['status']>;
  /** What its merchant says, or the newest campaign that sells it; `null` where neither does. */
  readonly token: ProductToken | null;
}

/** Where a page of products ended. */
export interface ProductPlace {
  /** Microseconds since 1970, of the last change. */
  readonly changedAt: string;
  readonly id: string;
}

export interface OwnProductPage {
  readonly items: readonly OwnProduct[];
  /** `null` where this is the last page. */
  readonly next: ProductPlace | null;
}

interface OwnProductRow extends ProductRow, SoldTokenRow {
  merchant_id: string;
  sku_hash: Hex;
  deliverable: string | null;
  status: OwnProduct['status'];
  token: ProductToken | null;
  changed_at: string;
}

/** A product of that merchant, in whatever status; `undefined` where it has none of that id. */
export async function readOwnProduct(
  sql: Sql,
  merchant: Address,
  id: string,
): Promise<OwnProduct | undefined> {
  const [row] = await sql<OwnProductRow[]>`
    ${selectProducts(sql)} where merchant.address = ${merchant} and product.id = ${id}`;
  return row && ownProductOf(row);
}

/** Products of a merchant, the last changed first: one statement. */
export async function listOwnProducts(
  sql: Sql,
  merchant: Address,
  list: {
    readonly status: OwnProduct['status'] | undefined;
    /** Words that title or summary must have, each as the beginning of one. */
    readonly q: string | undefined;
    readonly after: ProductPlace | undefined;
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
  const rows = await sql<OwnProductRow[]>`
    ${selectProducts(sql)}
    where ${conditions}
    order by product.updated_at desc, product.id desc limit ${limit + 1}`;
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return {
    items: rows.slice(0, limit).map(ownProductOf),
    next:
      last && last.product_id !== null ? { changedAt: last.changed_at, id: last.product_id } : null,
  };
}

function afterProduct(sql: Sql, { changedAt, id }: ProductPlace) {
  return sql`(product.updated_at, product.id)
    < (timestamptz 'epoch' + ${changedAt}::bigint * interval '1 microsecond', ${id})`;
}

/** The ledger is asked for the token alone, as of the settled block where there is one. */
function selectProducts(sql: Sql) {
  return sql`
    select ${productColumns(sql)}, product.sku_hash, product.deliverable, product.status,
      product.token, sold.token as sold_token, sold.token_decimals as sold_decimals,
      sold.token_symbol as sold_symbol, sold.token_name as sold_name,
      (extract(epoch from product.updated_at) * 1000000)::bigint as changed_at
    from commerce.merchant merchant
    join commerce.product product on product.merchant_id = merchant.id
    join lateral (select merchant.address as merchant) campaign on true
    left join lateral (
      select token, token_decimals, token_symbol, token_name from ledger.campaign
      where merchant = merchant.address and sku_hash = product.sku_hash
        and created_block <= (select settled_number from ledger.head)
      order by campaign_id desc limit 1
    ) sold on true`;
}

function ownProductOf(row: OwnProductRow): OwnProduct {
  const product = productOf(row);
  if (product === null) throw new Error('A product without an id was read.');
  return {
    ...product,
    merchantId: row.merchant_id,
    skuHash: row.sku_hash,
    address: row.merchant,
    deliverable: row.deliverable,
    status: row.status,
    token: row.token ?? soldIn(row),
  };
}
