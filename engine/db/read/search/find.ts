import type { Address, Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  address,
  flag,
  hex,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import {
  campaignConditions,
  escapeLike,
  isListed,
  prefixQuery,
  searchWords,
} from '../campaigns/filters.ts';
import { joinProduct, merchantView, soldColumns, soldProductView } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';

/** Matches of one kind that are read before they are sorted, so that a short word reads no whole table. */
const MAX_MATCHES = 1_000;

const foundCampaign = rowCodec({
  campaignId: id,
  skuHash: hex.from('campaign_sku_hash'),
  seller: merchantView.fields,
  product: optional(soldProductView.fields),
});

/** A campaign that a search found. */
export type FoundCampaign = View<typeof foundCampaign>;

function campaignsWhere(sql: Sql, condition: Fragment, limit: number) {
  return sql<StoredRow[]>`
    select campaign.campaign_id, campaign.sku_hash as campaign_sku_hash, ${soldColumns(sql)}
    from (
      select campaign.* from ledger.campaign where ${condition}
      order by campaign.rank_score desc, campaign.campaign_id desc limit ${limit}
    ) campaign
    ${joinProduct(sql)}
    order by campaign.rank_score desc, campaign.campaign_id desc`;
}

/** Listed campaigns by words of product, merchant and symbol, or by id, in the balanced order. */
export async function findCampaigns(
  { sql, head }: Snapshot,
  q: string,
  limit: number,
): Promise<FoundCampaign[]> {
  const condition = campaignConditions(sql, head, { q });
  return (await campaignsWhere(sql, condition, limit)).map(foundCampaign.decode);
}

/** Listed campaigns whose terms or metadata have this hash. */
export async function findCampaignsByHash(
  { sql, head }: Snapshot,
  hash: Hex,
  limit: number,
): Promise<FoundCampaign[]> {
  const condition = sql`
    campaign.campaign_id in (
      select campaign_id from ledger.campaign where terms_hash = ${hash}
      union all
      select campaign_id from ledger.campaign where metadata_hash = ${hash}
    ) and campaign.created_block <= ${head.number} and ${isListed(sql)}`;
  return (await campaignsWhere(sql, condition, limit)).map(foundCampaign.decode);
}

const foundProduct = rowCodec({
  id: text,
  title: text,
  summary: text,
  seller: merchantView.fields,
});

/** A product that a search found. */
export type FoundProduct = View<typeof foundProduct>;

/** Products with all words in title and summary that a listed campaign sells, last changed first. */
export async function findProducts(
  { sql, head }: Snapshot,
  q: string,
  limit: number,
): Promise<FoundProduct[]> {
  const rows = await sql<StoredRow[]>`
    select product.id, product.title, product.summary, ${sellerColumns(sql)}
    from (
      select * from commerce.product
      where ${hasWords(sql, q)} and status <> 'draft' limit ${MAX_MATCHES}
    ) product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    where exists (
      select 1 from ledger.campaign campaign
      where campaign.merchant = merchant.address and campaign.sku_hash = product.sku_hash
        and campaign.created_block <= ${head.number} and ${isListed(sql)}
    )
    order by product.updated_at desc, product.id limit ${limit}`;
  return rows.map(foundProduct.decode);
}

const foundMerchant = rowCodec({ seller: merchantView.fields });

/** A merchant that a search found. */
export type FoundMerchant = View<typeof foundMerchant>['seller'];

/** Merchants with all words in name and slug, by slug. */
export async function findMerchants(sql: Sql, q: string, limit: number): Promise<FoundMerchant[]> {
  const rows = await sql<StoredRow[]>`
    select ${sellerColumns(sql)}
    from (
      select * from commerce.merchant where ${hasWords(sql, q)} limit ${MAX_MATCHES}
    ) merchant
    order by merchant.slug limit ${limit}`;
  return rows.map((row) => foundMerchant.decode(row).seller);
}

function sellerColumns(sql: Sql) {
  return sql`
    merchant.address as merchant, merchant.id as merchant_id, merchant.slug as merchant_slug,
    merchant.name as merchant_name, merchant.closed_at is not null as merchant_closed`;
}

/** A condition: each word begins a word of the column `words`. A text without letters and digits finds nothing. */
function hasWords(sql: Sql, q: string) {
  const words = searchWords(q)
    .map(prefixQuery)
    .filter((word) => word !== '');
  return sql`words @@ to_tsquery('simple', ${words.join(' & ')})`;
}

const foundDistributor = rowCodec({ handle: text, displayName: nullable(text), address });

/** A public distributor that a search found. */
export type FoundDistributor = View<typeof foundDistributor>;

/** Public distributors whose handle begins with a text, by handle. Others are not found by their handle. */
export async function findDistributors(
  sql: Sql,
  q: string,
  limit: number,
): Promise<FoundDistributor[]> {
  const rows = await sql<StoredRow[]>`
    select handle, display_name, address from commerce.distributor
    where visibility = 'public' and handle like ${`${escapeLike(q.toLowerCase())}%`}
    order by handle using ~<~ limit ${limit}`;
  return rows.map(foundDistributor.decode);
}

const foundSale = rowCodec({ saleId: id, campaignId: id });

/** Sales of this id in listed campaigns: one, or two during a reorg. @param saleId as `ledgerId` returns it. */
export async function findSales(
  { sql, head }: Snapshot,
  saleId: string,
): Promise<View<typeof foundSale>[]> {
  const rows = await sql<StoredRow[]>`
    select sale.sale_id, sale.campaign_id from ledger.sale
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    where sale.sale_id = ${saleId} and sale.block_number <= ${head.number} and ${isListed(sql)}
    order by sale.block_number desc, sale.campaign_id desc limit 2`;
  return rows.map(foundSale.decode);
}

/** Sales of this order key in listed campaigns, newest first. */
export async function findSalesByOrder(
  { sql, head }: Snapshot,
  orderKey: Hex,
  limit: number,
): Promise<View<typeof foundSale>[]> {
  const rows = await sql<StoredRow[]>`
    select sale.sale_id, sale.campaign_id from ledger.sale
    join ledger.campaign campaign on campaign.campaign_id = sale.campaign_id
    where sale.order_key = ${orderKey} and sale.block_number <= ${head.number} and ${isListed(sql)}
    order by sale.sale_id desc, sale.campaign_id desc limit ${limit}`;
  return rows.map(foundSale.decode);
}

const foundNode = rowCodec({ nodeId: id, campaignId: id, owner: address });

/** A link that a search found. */
export type FoundNode = View<typeof foundNode>;

/** Links of these node ids in listed campaigns. @param nodeIds as `ledgerId` returns them. */
export async function findNodes(
  { sql, head }: Snapshot,
  nodeIds: readonly string[],
): Promise<FoundNode[]> {
  const rows = await sql<StoredRow[]>`
    select node.node_id, node.campaign_id, node.owner
    from unnest(${[...nodeIds]}::bigint[]) named (id)
    join ledger.node node on node.node_id = named.id and node.block_number <= ${head.number}
    join ledger.campaign campaign on campaign.campaign_id = node.campaign_id
    where ${isListed(sql)}
    order by node.node_id, node.campaign_id desc limit ${2 * nodeIds.length}`;
  return rows.map(foundNode.decode);
}

const foundAccount = rowCodec({ isMerchant: flag, isDistributor: flag, isBuyer: flag });

/** Roles of an account, as of the settled block; `undefined` if it has none. */
export async function findAccount(
  { sql, head }: Snapshot,
  account: Address,
): Promise<View<typeof foundAccount> | undefined> {
  const [row] = await sql<StoredRow[]>`
    select exists (
        select 1 from commerce.merchant where address = ${account}
      ) or exists (
        select 1 from ledger.campaign
        where merchant = ${account} and created_block <= ${head.number}
      ) as is_merchant,
      exists (
        select 1 from ledger.node where owner = ${account} and block_number <= ${head.number}
      ) as is_distributor,
      exists (
        select 1 from ledger.sale where buyer = ${account} and block_number <= ${head.number}
      ) as is_buyer`;
  const found = row && foundAccount.decode(row);
  return found && (found.isMerchant || found.isDistributor || found.isBuyer) ? found : undefined;
}

const foundTransaction = rowCodec({ blockNumber: integer });

/** Block of a transaction with an event of a listed campaign; `undefined` if there is none. */
export async function findTransaction(
  { sql, head }: Snapshot,
  hash: Hex,
): Promise<View<typeof foundTransaction> | undefined> {
  const [row] = await sql<StoredRow[]>`
    select journal.block_number from ledger.journal
    join ledger.campaign campaign on campaign.campaign_id = journal.campaign_id
    where journal.transaction_hash = ${hash} and journal.block_number <= ${head.number}
      and ${isListed(sql)}
    order by journal.block_number desc limit 1`;
  return row && foundTransaction.decode(row);
}
