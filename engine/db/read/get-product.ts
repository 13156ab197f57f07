import type { Address, Hex } from '../../core/events.ts';
import type { ProductToken } from '../commerce/save-product.ts';
import type { Sql } from '../connection.ts';
import { campaignConditions } from './campaign-filters.ts';
import type { CampaignView } from './campaign-rows.ts';
import { getCampaign } from './get-campaign.ts';
import { toInteger } from './ids.ts';
import {
  type MerchantView,
  merchantOf,
  type ProductRow,
  type ProductView,
  productColumns,
  productOf,
} from './product-rows.ts';
import type { Snapshot } from './snapshot.ts';

/** A product that its merchant described here. */
export interface DescribedProduct {
  readonly seller: MerchantView;
  readonly product: ProductView;
  readonly skuHash: Hex;
  readonly status: 'ready' | 'archived';
  /** What it is priced in: as its merchant says, or its newest campaign; `null` where neither does. */
  readonly token: ProductToken | null;
}

interface DescribedRow extends ProductRow, SoldTokenRow {
  sku_hash: Hex;
  status: 'ready' | 'archived';
  token: ProductToken | null;
}

/** The token of the newest campaign that sells a product; `null` where none does. */
export interface SoldTokenRow {
  sold_token: Address | null;
  sold_decimals: number;
  sold_symbol: string;
  sold_name: string;
}

/** @returns `undefined` where there is none of that id, or it is a draft. */
export async function getProduct(
  { sql, head }: Snapshot,
  id: string,
): Promise<DescribedProduct | undefined> {
  const [row] = await sql<DescribedRow[]>`
    select ${productColumns(sql)}, product.sku_hash, product.status, product.token,
      sold.token as sold_token, sold.token_decimals as sold_decimals,
      sold.token_symbol as sold_symbol, sold.token_name as sold_name
    from commerce.product product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    join lateral (select merchant.address as merchant) campaign on true
    left join lateral (
      select token, token_decimals, token_symbol, token_name from ledger.campaign
      where merchant = merchant.address and sku_hash = product.sku_hash
        and created_block <= ${head.number}
      order by campaign_id desc limit 1
    ) sold on true
    where product.id = ${id} and product.status <> 'draft'`;
  const product = row && productOf(row);
  if (row === undefined || !product) return undefined;
  const { sku_hash: skuHash, status } = row;
  return { seller: merchantOf(row), product, skuHash, status, token: row.token ?? soldIn(row) };
}

export function soldIn(row: SoldTokenRow): ProductToken | null {
  if (row.sold_token === null) return null;
  return {
    address: row.sold_token,
    symbol: row.sold_symbol,
    decimals: row.sold_decimals,
    ...(row.sold_name === '' ? {} : { name: row.sold_name }),
  };
}

/** A SKU of an account, by the beginning of its hash. */
export interface SkuKey {
  readonly merchant: Address;
  /** Hex digits without 0x, fewer than 64. */
  readonly skuStart: string;
}

/** The newest campaign that sells a SKU. */
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

/** How many listed campaigns sell a SKU now. */
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

/** Price of a SKU of a campaign that is not its own, base units; `undefined` where it has none. */
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
