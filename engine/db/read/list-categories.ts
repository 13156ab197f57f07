import { campaignConditions, UNKNOWN_CATEGORY } from './campaign-filters.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

export interface CategoryView {
  readonly category: string;
  /** Listed campaigns, in whatever state. */
  readonly campaigns: number;
  /** Those that take sales now. */
  readonly liveCampaigns: number;
}

/** Categories that are told: merchants type whatever they like. */
const CATEGORIES_MOST = 200;

/**
 * The categories of all listed campaigns, the fullest first, as `campaignConditions` filters by
 * them: one statement, which reads campaigns by their covering index alone.
 */
export async function listCategories({ sql, head }: Snapshot): Promise<CategoryView[]> {
  const rows = await sql<{ category: string; campaigns: string; live: string }[]>`
    select coalesce(product.category, ${UNKNOWN_CATEGORY}) as category, count(*) as campaigns,
      count(*) filter (
        where campaign.funded and not campaign.paused and not campaign.ended
          and campaign.starts_at <= ${head.timestamp} and campaign.ends_at > ${head.timestamp}
          and campaign.policy_expiry > ${head.timestamp}
      ) as live
    from ledger.campaign campaign
    left join commerce.merchant on merchant.address = campaign.merchant
    left join commerce.product on product.merchant_id = merchant.id
      and product.sku_hash = campaign.sku_hash and product.status <> 'draft'
    where ${campaignConditions(sql, head, {})}
    group by 1 order by 2 desc, 1 limit ${CATEGORIES_MOST}`;
  return rows.map(({ category, campaigns, live }) => ({
    category,
    campaigns: toInteger(campaigns),
    liveCampaigns: toInteger(live),
  }));
}
