import type { Hex } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import {
  address,
  hex,
  id,
  nullable,
  optional,
  rowCodec,
  type StoredRow,
  text,
  type View,
} from '../../row.ts';
import { campaignConditions, isListed } from '../campaigns/filters.ts';
import { joinProduct, merchantView, soldColumns, soldProductView } from '../products/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { type Named, rank, rankedRows } from './named.ts';
import type { SearchText } from './text.ts';

function products(sql: Sql): Named {
  const title = sql`commerce.search_text(title)`;
  return {
    table: sql`commerce.product`,
    key: sql`product.id`,
    names: [title],
    words: sql`commerce.search_text(title || ' ' || summary || ' ' || outcome || ' ' || description)`,
    similar: title,
    where: sql`status <> 'draft'`,
  };
}

function merchants(sql: Sql): Named {
  const nameAndSlug = sql`commerce.search_text(name || ' ' || slug)`;
  return {
    table: sql`commerce.merchant`,
    key: sql`merchant.id`,
    names: [sql`commerce.search_text(name)`],
    words: sql`commerce.search_text(name || ' ' || slug || ' ' || coalesce(description, ''))`,
    similar: nameAndSlug,
    where: sql`true`,
  };
}

function distributors(sql: Sql): Named {
  const handleAndName = sql`commerce.search_text(handle || ' ' || coalesce(display_name, ''))`;
  return {
    table: sql`commerce.distributor`,
    key: sql`distributor.address`,
    names: [sql`commerce.search_text(handle)`, sql`commerce.search_text(display_name)`],
    words: handleAndName,
    similar: handleAndName,
    where: sql`visibility = 'public'`,
  };
}

const foundCampaign = rowCodec({
  campaignId: id,
  rank,
  skuHash: hex.from('campaign_sku_hash'),
  seller: merchantView.fields,
  product: optional(soldProductView.fields),
});

/** A campaign that a search found. */
export type FoundCampaign = View<typeof foundCampaign>;

/** Columns of `foundCampaign`, of `campaign` with what `joinProduct` joins, and of a rank. */
function campaignColumns(sql: Sql, rankOf: Fragment) {
  return sql`
    campaign.campaign_id, ${rankOf} as rank, campaign.sku_hash as campaign_sku_hash, ${soldColumns(sql)}`;
}

/**
 * Listed campaigns by the name and description of their product, by words of their merchant and symbol, or by id: the best
 * match first, and then in the balanced order.
 */
export async function findCampaigns(
  { sql, head }: Snapshot,
  q: SearchText,
  limit: number,
): Promise<FoundCampaign[]> {
  const rows = await sql<StoredRow[]>`
    with ${rankedRows(sql, products(sql), q, limit)}, matching as (
      (select campaign.campaign_id,
        case when campaign.campaign_id::text = ${q.typed} then 0 else 3 end as rank, 0::real as alike
      from ledger.campaign where ${campaignConditions(sql, head, { q: q.typed })}
      order by campaign.rank_score desc, campaign.campaign_id desc limit ${limit})
      union all
      select campaign.campaign_id, ranked.rank, ranked.alike
      from ranked
      join commerce.product product on product.id = ranked.key
      join commerce.merchant merchant on merchant.id = product.merchant_id
      join ledger.campaign campaign
        on campaign.merchant = merchant.address and campaign.sku_hash = product.sku_hash
      where campaign.created_block <= ${head.number} and campaign.policy_version is not null
        and ${isListed(sql)}
    ), best as (
      select campaign_id, min(rank) as rank, max(alike) as alike from matching group by campaign_id
    )
    select ${campaignColumns(sql, sql`best.rank`)}
    from best join ledger.campaign campaign on campaign.campaign_id = best.campaign_id
    ${joinProduct(sql)}
    order by best.rank, best.alike desc, campaign.rank_score desc, campaign.campaign_id desc
    limit ${limit}`;
  return rows.map(foundCampaign.decode);
}

/** Listed campaigns whose terms or metadata have this hash. */
export async function findCampaignsByHash(
  { sql, head }: Snapshot,
  hash: Hex,
  limit: number,
): Promise<FoundCampaign[]> {
  const rows = await sql<StoredRow[]>`
    select ${campaignColumns(sql, sql`0`)}
    from (
      select campaign.* from ledger.campaign where campaign.campaign_id in (
        select campaign_id from ledger.campaign where terms_hash = ${hash}
        union all
        select campaign_id from ledger.campaign where metadata_hash = ${hash}
      ) and campaign.created_block <= ${head.number} and ${isListed(sql)}
      order by campaign.rank_score desc, campaign.campaign_id desc limit ${limit}
    ) campaign
    ${joinProduct(sql)}
    order by campaign.rank_score desc, campaign.campaign_id desc`;
  return rows.map(foundCampaign.decode);
}

const foundProduct = rowCodec({
  id: text,
  rank,
  title: text,
  summary: text,
  seller: merchantView.fields,
});

/** A product that a search found. */
export type FoundProduct = View<typeof foundProduct>;

/** Products that a listed campaign sells, by title and words of their description: the best match first. */
export async function findProducts(
  { sql, head }: Snapshot,
  q: SearchText,
  limit: number,
): Promise<FoundProduct[]> {
  const rows = await sql<StoredRow[]>`
    with ${rankedRows(sql, products(sql), q, limit)}
    select product.id, ranked.rank, product.title, product.summary, ${sellerColumns(sql)}
    from ranked
    join commerce.product product on product.id = ranked.key
    join commerce.merchant merchant on merchant.id = product.merchant_id
    where exists (
      select 1 from ledger.campaign campaign
      where campaign.merchant = merchant.address and campaign.sku_hash = product.sku_hash
        and campaign.created_block <= ${head.number} and ${isListed(sql)}
    )
    order by ranked.rank, ranked.alike desc, product.updated_at desc, product.id limit ${limit}`;
  return rows.map(foundProduct.decode);
}

const foundMerchant = rowCodec({ rank, seller: merchantView.fields });

/** A merchant that a search found. */
export type FoundMerchant = View<typeof foundMerchant>;

/** Merchants by name and slug, the best match first. */
export async function findMerchants(
  sql: Sql,
  q: SearchText,
  limit: number,
): Promise<FoundMerchant[]> {
  const rows = await sql<StoredRow[]>`
    with ${rankedRows(sql, merchants(sql), q, limit)}
    select ranked.rank, ${sellerColumns(sql)}
    from ranked join commerce.merchant merchant on merchant.id = ranked.key
    order by ranked.rank, ranked.alike desc, merchant.slug limit ${limit}`;
  return rows.map(foundMerchant.decode);
}

function sellerColumns(sql: Sql) {
  return sql`
    merchant.address as merchant, merchant.id as merchant_id, merchant.slug as merchant_slug,
    merchant.name as merchant_name, merchant.closed_at is not null as merchant_closed`;
}

const foundDistributor = rowCodec({ rank, handle: text, displayName: nullable(text), address });

/** A public distributor that a search found. */
export type FoundDistributor = View<typeof foundDistributor>;

/** Public distributors by handle and name, the best match first. Others are not found. */
export async function findDistributors(
  sql: Sql,
  q: SearchText,
  limit: number,
): Promise<FoundDistributor[]> {
  const rows = await sql<StoredRow[]>`
    with ${rankedRows(sql, distributors(sql), q, limit)}
    select ranked.rank, distributor.handle, distributor.display_name, distributor.address
    from ranked join commerce.distributor distributor on distributor.address = ranked.key
    order by ranked.rank, ranked.alike desc, distributor.handle limit ${limit}`;
  return rows.map(foundDistributor.decode);
}
