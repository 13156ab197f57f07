import { type CampaignState, campaignState } from '../../core/campaign.ts';
import type { Sql } from '../connection.ts';
import { type StandingRow, standingColumnNames, standingOf } from '../write/standing-columns.ts';
import { campaignConditions } from './campaign-filters.ts';
import { toInteger } from './ids.ts';
import type { ReadHead, Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** Campaigns that are told of a product: the newest. */
const CAMPAIGNS_MOST = 20;

/** A campaign that sells a product. */
export interface ProductCampaign {
  readonly campaignId: string;
  /** As the merchant calls the campaign, which is for the merchant alone; `null` where it did not. */
  readonly ownName: string | null;
  /** Title of the product in the version that the campaign was made with. */
  readonly title: string;
  readonly state: CampaignState;
  readonly productVersion: number;
  /** Hidden by an operator, or unlisted by its merchant. */
  readonly unlisted: boolean;
}

/** What a product is used for. */
export interface ProductUse {
  /** The newest 20, newest first. */
  readonly campaigns: readonly ProductCampaign[];
  /** Listed campaigns that sell it now, over all. */
  readonly liveCampaigns: number;
}

/** Of a product that nothing sells. */
export const unused: ProductUse = { campaigns: [], liveCampaigns: 0 };

interface CampaignUseRow extends StandingRow {
  product_id: string;
  campaign_id: string;
  own_name: string | null;
  title: string;
  ends_at: string;
  policy_expiry: string;
  product_version: number;
  unlisted: boolean;
}

/**
 * What sells products, by their id: two statements for any number of them. A campaign's version of a
 * product is the one that its metadata was prepared with; without that, the newest that was saved
 * when it was created, and of a campaign older than all of them the first.
 */
export async function productUses(
  snapshot: Snapshot,
  productIds: readonly string[],
): Promise<ReadonlyMap<string, ProductUse>> {
  const { sql, head } = snapshot;
  const [rows, counts] = await Promise.all([
    campaignsOf(sql, head, productIds),
    liveCounts(sql, head, productIds),
  ]);
  const uses = new Map<string, { campaigns: ProductCampaign[]; liveCampaigns: number }>(
    productIds.map((id) => [id, { campaigns: [], liveCampaigns: counts.get(id) ?? 0 }]),
  );
  for (const row of rows) uses.get(row.product_id)?.campaigns.push(useOf(row, head));
  return uses;
}

async function campaignsOf(sql: Sql, head: ReadHead, productIds: readonly string[]) {
  const standing = sql(standingColumnNames.map((name) => `standing.${name}`));
  return await sql<CampaignUseRow[]>`
    select product.id as product_id, campaign.campaign_id, campaign.ends_at,
      policy.expiry as policy_expiry, ${standing}, settings.name as own_name,
      made.version as product_version, coalesce(body.body ->> 'title', product.title) as title,
      coalesce(not settings.listed, false) or exists (
        select 1 from commerce.moderation
        where moderation.campaign_id = campaign.campaign_id and moderation.hidden
      ) as unlisted
    from commerce.product product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    cross join lateral (
      select campaign_id, metadata_hash, ends_at, created_timestamp from ledger.campaign
      where merchant = merchant.address and sku_hash = product.sku_hash
        and created_block <= ${head.number}
      order by campaign_id desc limit ${CAMPAIGNS_MOST}
    ) campaign
    ${joinStanding(sql, head)}
    join lateral (
      select expiry from ledger.policy
      where campaign_id = campaign.campaign_id and seq <= standing.seq
        and effective_at <= ${head.timestamp}
      order by version desc limit 1
    ) policy on true
    left join commerce.campaign_settings settings
      on settings.campaign_id = campaign.campaign_id and settings.merchant = merchant.address
    left join commerce.campaign_metadata metadata on metadata.merchant = merchant.address
      and metadata.metadata_hash = campaign.metadata_hash and metadata.product_id = product.id
    cross join lateral (
      select coalesce(metadata.product_version, (
        select version from commerce.product_version
        where product_id = product.id and saved_at <= to_timestamp(campaign.created_timestamp)
        order by version desc limit 1
      ), 1) as version
    ) made
    left join commerce.product_version body
      on body.product_id = product.id and body.version = made.version
    where product.id = any(${[...productIds]}::text[])
    order by campaign.campaign_id desc`;
}

async function liveCounts(sql: Sql, head: ReadHead, productIds: readonly string[]) {
  const rows = await sql<{ product_id: string; count: string }[]>`
    select product.id as product_id, count(*) as count
    from commerce.product product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    join ledger.campaign campaign
      on campaign.merchant = merchant.address and campaign.sku_hash = product.sku_hash
    where product.id = any(${[...productIds]}::text[])
      and ${campaignConditions(sql, head, { status: 'active' })}
    group by product.id`;
  return new Map(rows.map((row) => [row.product_id, toInteger(row.count)]));
}

function useOf(row: CampaignUseRow, head: ReadHead): ProductCampaign {
  const terms = { endsAt: toInteger(row.ends_at), policyExpiry: toInteger(row.policy_expiry) };
  return {
    campaignId: row.campaign_id,
    ownName: row.own_name,
    title: row.title,
    state: campaignState(standingOf(row), terms, head.timestamp),
    productVersion: row.product_version,
    unlisted: row.unlisted,
  };
}
