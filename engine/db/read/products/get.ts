import type { Address, Hex } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { toInteger } from '../../ids.ts';
import {
  address,
  as,
  hex,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  small,
  text,
  type View,
} from '../../row.ts';
import type { ProductToken } from '../../rows/commerce.ts';
import { campaignConditions } from '../campaigns/filters.ts';
import { getCampaign } from '../campaigns/get.ts';
import type { CampaignView } from '../campaigns/rows.ts';
import type { AsOf } from '../one-read.ts';
import type { Snapshot } from '../snapshot.ts';
import { merchantView, productColumns, productView } from './rows.ts';

/** Which token a product is priced in. */
const productTokens = rowCodec({
  /** As its merchant says. */
  token: nullable(as<ProductToken>()),
  /** The token of the newest campaign that sells it. */
  sold: optional({
    address: address.from('sold_token'),
    symbol: text.from('sold_symbol'),
    decimals: small.from('sold_decimals'),
    name: text.from('sold_name'),
  }),
});

const describedProduct = rowCodec({
  seller: merchantView.fields,
  product: productView.fields,
  skuHash: hex,
  status: as<'ready' | 'archived'>(),
});

/** A product that its merchant described here. */
export interface DescribedProduct extends View<typeof describedProduct> {
  /** As its merchant says, or else the token of its newest campaign; `null` without either. */
  readonly token: ProductToken | null;
}

/** The token that a product is priced in; `null` if neither its merchant nor a campaign says one. */
export function tokenOfProduct(row: StoredRow): ProductToken | null {
  const { token, sold } = productTokens.decode(row);
  if (token !== null || sold === null) return token;
  const { name, ...rest } = sold;
  return name === '' ? rest : { ...rest, name };
}

/** Columns of `productTokens`, of `product` with what `joinSoldToken` joins. */
export function tokenColumns(sql: Sql) {
  return sql`product.token, sold.token as sold_token, sold.token_decimals as sold_decimals,
    sold.token_symbol as sold_symbol, sold.token_name as sold_name`;
}

/** Joins to `merchant` and `product` the token of the newest campaign that sells the product, as `sold`. */
export function joinSoldToken(sql: Sql, block: AsOf['number']) {
  return sql`
    join lateral (select merchant.address as merchant) campaign on true
    left join lateral (
      select token, token_decimals, token_symbol, token_name from ledger.campaign
      where merchant = merchant.address and sku_hash = product.sku_hash
        and created_block <= ${block}
      order by campaign_id desc limit 1
    ) sold on true`;
}

/** A product by its id; `undefined` if there is none or it is a draft. */
export async function getProduct(
  { sql, head }: Snapshot,
  productId: string,
): Promise<DescribedProduct | undefined> {
  const [row] = await sql<StoredRow[]>`
    select ${productColumns(sql)}, product.sku_hash, product.status, ${tokenColumns(sql)}
    from commerce.product product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    ${joinSoldToken(sql, head.number)}
    where product.id = ${productId} and product.status <> 'draft'`;
  return row && { ...describedProduct.decode(row), token: tokenOfProduct(row) };
}

/** A SKU of a merchant, by the beginning of its hash. */
export interface SkuKey {
  readonly merchant: Address;
  /** Hex digits without 0x, fewer than 64. */
  readonly skuStart: string;
}

/** The newest campaign that sells a SKU; `undefined` if there is none. */
export async function newestCampaignOf(
  snapshot: Snapshot,
  { merchant, skuStart }: SkuKey,
): Promise<CampaignView | undefined> {
  const { sql, head } = snapshot;
  const [row] = await sql<{ campaign_id: string }[]>`
    select campaign_id from ledger.campaign
    where merchant = ${merchant} and created_block <= ${head.number}
      and sku_hash between ${`0x${skuStart.padEnd(64, '0')}`} and ${`0x${skuStart.padEnd(64, 'f')}`}
    order by campaign_id desc limit 1`;
  return row && (await getCampaign(snapshot, row.campaign_id));
}

/** Number of listed campaigns that sell a SKU now. */
export async function liveCampaignsOf(
  { sql, head }: Snapshot,
  { merchant, skuHash }: { readonly merchant: Address; readonly skuHash: Hex },
): Promise<number> {
  const [row] = await sql<{ count: string }[]>`
    select count(*) as count from ledger.campaign campaign
    where campaign.merchant = ${merchant} and campaign.sku_hash = ${skuHash}
      and ${campaignConditions(sql, head, { status: 'active' })}`;
  return toInteger(row?.count ?? '0');
}

/** Price of a variant's SKU in a campaign, in base units; `undefined` without one. */
export async function skuPrice(
  sql: Sql,
  { campaignId, seq }: Pick<CampaignView, 'campaignId' | 'seq'>,
  skuHash: Hex,
): Promise<bigint | undefined> {
  const [row] = await sql<{ price: string }[]>`
    select price from ledger.price
    where campaign_id = ${campaignId} and sku_hash = ${skuHash} and seq <= ${seq}
    order by seq desc limit 1`;
  return row && BigInt(row.price);
}
