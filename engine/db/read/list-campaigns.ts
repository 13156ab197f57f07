import { type CampaignFilters, campaignConditions } from './campaign-filters.ts';
import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';

export type CampaignSort = 'balanced' | 'newest' | 'reward' | 'budget' | 'hold';

/** Where a page of campaigns ended: the sort's value of its last row, and its id. */
export interface CampaignPlace {
  /** Decimal digits; of `newest` it is the id. */
  readonly key: string;
  readonly campaignId: string;
}

export interface CampaignPage {
  readonly items: readonly CampaignView[];
  /** `null` where this is the last page. */
  readonly next: CampaignPlace | null;
  /** Campaigns that the filters match, over all pages. */
  readonly total: number;
}

interface CampaignQuery {
  readonly filters: CampaignFilters;
  readonly sort: CampaignSort;
  readonly after: CampaignPlace | undefined;
  readonly limit: number;
}

/** Columns that the sorts go by; each has its index with the id behind it (0001_ledger.sql). */
const sortColumns = {
  balanced: 'rank_score',
  newest: 'campaign_id',
  reward: 'commission_bps',
  budget: 'available',
  hold: 'hold_seconds',
} as const;

type PageRow = { sort_key: string; page_id: string } & (CampaignRow | { campaign_id: null });

/** A page of campaigns and how many there are in all: two statements, however long the page is. */
export async function listCampaigns(
  snapshot: Snapshot,
  { filters, sort, after, limit }: CampaignQuery,
): Promise<CampaignPage> {
  const { sql, head } = snapshot;
  const conditions = campaignConditions(sql, head, filters);
  const order = orderOf(snapshot, sort);
  const [rows, [counted]] = await Promise.all([
    sql<PageRow[]>`
      with page as materialized (
        select campaign.campaign_id as page_id, row_number() over (order by ${order}) as place,
          ${sql(`campaign.${sortColumns[sort]}`)}::text as sort_key
        from ledger.campaign campaign
        where ${conditions} ${after ? sql`and ${afterPlace(snapshot, sort, after)}` : sql``}
        order by ${order} limit ${limit + 1}
      )
      select page.sort_key, page.page_id, view.* from page
      left join lateral (
        select ${campaignColumns(sql)}
        from ledger.campaign campaign ${campaignJoins(sql, head)}
        where campaign.campaign_id = page.page_id
      ) view on true
      order by page.place`,
    sql<{ total: string }[]>`
      select count(*) as total from ledger.campaign campaign where ${conditions}`,
  ]);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return {
    items: shown.flatMap((row) => (row.campaign_id === null ? [] : [campaignOf(row, head)])),
    next: last ? { key: last.sort_key, campaignId: last.page_id } : null,
    total: toInteger(counted?.total ?? '0'),
  };
}

/** As the indexes have it, nulls included; the conditions leave none. */
function orderOf({ sql }: Snapshot, sort: CampaignSort) {
  switch (sort) {
    case 'balanced':
      return sql`campaign.rank_score desc, campaign.campaign_id desc`;
    case 'newest':
      return sql`campaign.campaign_id desc`;
    case 'reward':
      return sql`campaign.commission_bps desc nulls last, campaign.campaign_id desc`;
    case 'budget':
      return sql`campaign.available desc, campaign.campaign_id desc`;
    case 'hold':
      return sql`campaign.hold_seconds asc nulls last, campaign.campaign_id desc`;
  }
}

function afterPlace({ sql }: Snapshot, sort: CampaignSort, { key, campaignId }: CampaignPlace) {
  const id = sql`campaign.campaign_id < ${campaignId}::bigint`;
  switch (sort) {
    case 'newest':
      return id;
    case 'budget':
      return sql`campaign.available <= ${key}::numeric
        and (campaign.available < ${key}::numeric or ${id})`;
    case 'hold':
      return sql`campaign.hold_seconds >= ${key}::bigint
        and (campaign.hold_seconds > ${key}::bigint or ${id})`;
    default: {
      const column = sql(`campaign.${sortColumns[sort]}`);
      return sql`${column} <= ${key}::bigint and (${column} < ${key}::bigint or ${id})`;
    }
  }
}
