import { type CampaignState, campaignState } from '../../../core/campaign.ts';
import type { Sql } from '../../connection.ts';
import {
  flag,
  id,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  small,
  text,
  type View,
} from '../../row.ts';
import { campaignStateRow } from '../../rows/campaign.ts';
import { joinCampaignState, joinPolicy } from '../as-of/campaign.ts';
import { campaignConditions } from '../campaigns/filters.ts';
import type { ReadHead, Snapshot } from '../snapshot.ts';

/** Maximum number of campaigns of a product in a response, the newest. */
const MAX_CAMPAIGNS = 20;

const productCampaign = rowCodec({
  campaignId: id,
  /** The merchant's private name of the campaign; `null` without one. */
  ownName: nullable(text),
  /** Title of the product in the version that the campaign was made with. */
  title: text,
  productVersion: small,
  /** True if an operator has hidden it, or its merchant has unlisted it. */
  unlisted: flag,
});

/** A campaign that sells a product. */
export interface ProductCampaign extends View<typeof productCampaign> {
  readonly state: CampaignState;
}

const campaignTerms = rowCodec({
  productId: text,
  campaign: campaignStateRow.fields,
  terms: { endsAt: seconds, policyExpiry: seconds },
});

/** The campaigns that use a product. */
export interface ProductUse {
  /** The newest 20, newest first. */
  readonly campaigns: readonly ProductCampaign[];
  /** Number of all listed campaigns that sell it now. */
  readonly liveCampaigns: number;
}

/** The use of a product that no campaign sells. */
export const unused: ProductUse = { campaigns: [], liveCampaigns: 0 };

/**
 * The campaigns that sell products, by product id: two statements for any number of products. A campaign's
 * version of a product is the one that its metadata was prepared with; or else the newest that was saved
 * when the campaign was created; or else the first.
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
  for (const row of rows) {
    const { productId, campaign, terms } = campaignTerms.decode(row);
    const state = campaignState(campaign, terms, head.timestamp);
    uses.get(productId)?.campaigns.push({ ...productCampaign.decode(row), state });
  }
  return uses;
}

async function campaignsOf(sql: Sql, head: ReadHead, productIds: readonly string[]) {
  return await sql<StoredRow[]>`
    select product.id as product_id, campaign.campaign_id, campaign.ends_at,
      policy.expiry as policy_expiry, ${campaignStateRow.columns(sql, 'campaign_state')}, settings.name as own_name,
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
      order by campaign_id desc limit ${MAX_CAMPAIGNS}
    ) campaign
    ${joinCampaignState(sql, head)}
    ${joinPolicy(sql, head)}
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

const liveCount = rowCodec({ productId: text, count: integer });

async function liveCounts(sql: Sql, head: ReadHead, productIds: readonly string[]) {
  const rows = await sql<StoredRow[]>`
    select product.id as product_id, count(*) as count
    from commerce.product product
    join commerce.merchant merchant on merchant.id = product.merchant_id
    join ledger.campaign campaign
      on campaign.merchant = merchant.address and campaign.sku_hash = product.sku_hash
    where product.id = any(${[...productIds]}::text[])
      and ${campaignConditions(sql, head, { status: 'active' })}
    group by product.id`;
  return new Map(rows.map(liveCount.decode).map(({ productId, count }) => [productId, count]));
}
