import type { Address, Hex } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { ProductToken } from '../rows/commerce.ts';

/** Whether any merchant has a product of that id. */
export async function isProductIdUsed(sql: Sql, id: string): Promise<boolean> {
  const rows = await sql`select 1 from commerce.product where id = ${id}`;
  return rows.length > 0;
}

/** Products of a merchant, in whatever status. */
export async function countProducts(sql: Sql, merchantId: string): Promise<number> {
  const [row] = await sql<{ count: string }[]>`
    select count(*) as count from commerce.product where merchant_id = ${merchantId}`;
  return Number(row?.count ?? 0);
}

/** Another product of the merchant that has the SKU; `undefined` where none has. */
export async function productOfSku(
  sql: Sql,
  { id, merchantId, skuHash }: { id: string; merchantId: string; skuHash: Hex },
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from commerce.product
    where merchant_id = ${merchantId} and sku_hash = ${skuHash} and id <> ${id}`;
  return row?.id;
}

/** Id of the merchant with that slug; `undefined` if it is free. */
export async function merchantOfSlug(sql: Sql, slug: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select id from commerce.merchant where slug = ${slug}`;
  return row?.id;
}

/**
 * Those of the SKUs that a product of another merchant has. SKUs that campaigns of this merchant sell
 * are left out: they are its own, whatever others write.
 */
export async function skusOfOthers(
  sql: Sql,
  merchant: { readonly id: string; readonly address: Address },
  skuHashes: readonly Hex[],
): Promise<Hex[]> {
  const rows = await sql<{ sku_hash: Hex }[]>`
    select distinct product.sku_hash from commerce.product product
    where product.sku_hash = any(${[...skuHashes]}) and product.merchant_id <> ${merchant.id}
      and not exists (
        select 1 from ledger.campaign campaign
        where campaign.merchant = ${merchant.address} and campaign.sku_hash = product.sku_hash)`;
  return rows.map((row) => row.sku_hash);
}

/** True if a campaign sells the SKU, as of any block: a campaign's SKU is fixed immediately. */
export async function isSkuSold(sql: Sql, merchant: Address, skuHash: Hex): Promise<boolean> {
  const rows = await sql`
    select 1 from ledger.campaign
    where merchant = ${merchant} and sku_hash = ${skuHash} limit 1`;
  return rows.length > 0;
}

/** A token as its newest campaign names it; `undefined` if no campaign uses it. */
export async function tokenOfCampaigns(
  sql: Sql,
  address: Address,
): Promise<ProductToken | undefined> {
  const [row] = await sql<{ symbol: string; decimals: number; name: string }[]>`
    select token_symbol as symbol, token_decimals as decimals, token_name as name
    from ledger.campaign where token = ${address} order by campaign_id desc limit 1`;
  if (row === undefined) return undefined;
  const { symbol, decimals, name } = row;
  return { address, symbol, decimals, ...(name === '' ? {} : { name }) };
}
