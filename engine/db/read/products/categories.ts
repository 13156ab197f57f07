import { integer, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import { campaignConditions, UNKNOWN_CATEGORY } from '../campaigns/filters.ts';
import type { Snapshot } from '../snapshot.ts';

const categoryView = rowCodec({
  category: text,
  /** Number of listed campaigns in any state. */
  campaigns: integer,
  /** Number of listed campaigns that take sales now. */
  liveCampaigns: integer,
});

/** A category of products. */
export type CategoryView = View<typeof categoryView>;

/** Maximum number of categories in a response: merchants can type any. */
const MAX_CATEGORIES = 200;

/**
 * The categories of all listed campaigns, as `campaignConditions` filters by them, those with the most
 * campaigns first: one statement, which reads only the covering index of campaigns.
 */
export async function listCategories({ sql, head }: Snapshot): Promise<CategoryView[]> {
  const rows = await sql<StoredRow[]>`
    select coalesce(product.category, ${UNKNOWN_CATEGORY}) as category, count(*) as campaigns,
      count(*) filter (
        where campaign.funded and not campaign.paused and not campaign.ended
          and campaign.starts_at <= ${head.timestamp} and campaign.ends_at > ${head.timestamp}
          and campaign.policy_expiry > ${head.timestamp}
      ) as live_campaigns
    from ledger.campaign campaign
    left join commerce.merchant on merchant.address = campaign.merchant
    left join commerce.product on product.merchant_id = merchant.id
      and product.sku_hash = campaign.sku_hash and product.status <> 'draft'
    where ${campaignConditions(sql, head, {})}
    group by 1 order by 2 desc, 1 limit ${MAX_CATEGORIES}`;
  return rows.map(categoryView.decode);
}
