import type { Sql } from '../../connection.ts';
import { limitTo } from '../../planner.ts';
import { id, integer, rowCodec, type StoredRow, text, type View } from '../../row.ts';
import type { OneRead } from '../one-read.ts';
import {
  type CampaignFilters,
  campaignConditions,
  hasFilter,
  UNKNOWN_CATEGORY,
} from './filters.ts';
import { type CampaignView, campaignColumns, campaignOf, joinCampaign } from './rows.ts';

/** Sort order of a list of campaigns. */
export type CampaignSort = 'balanced' | 'newest' | 'reward' | 'budget' | 'hold';

const campaignCursor = rowCodec({
  /** The value that the last row is sorted by: decimal digits; for `newest` the id. */
  key: text.from('sort_key'),
  campaignId: id.from('page_id'),
});

/** Cursor of a page of campaigns: its last campaign. */
export type CampaignCursor = View<typeof campaignCursor>;

/** A page of campaigns. */
export interface CampaignPage {
  readonly items: readonly CampaignView[];
  /** `null` on the last page. */
  readonly next: CampaignCursor | null;
  /** Number of campaigns that the filters match, over all pages. */
  readonly total: number;
}

interface CampaignQuery {
  readonly filters: CampaignFilters;
  readonly sort: CampaignSort;
  readonly after: CampaignCursor | undefined;
  readonly limit: number;
}

/** Column of each sort. An index of it, and of the id after it, is in 0001_ledger.sql. */
const sortColumns = {
  balanced: 'rank_score',
  newest: 'campaign_id',
  reward: 'commission_bps',
  budget: 'available',
  hold: 'hold_seconds',
} as const;

const counted = rowCodec({ total: integer });

/** Reads a page of campaigns and the number of all that match: one statement for a page of any length. */
export function campaignList({
  filters,
  sort,
  after,
  limit,
}: CampaignQuery): OneRead<StoredRow, CampaignPage> {
  // Filters are evaluated once, for the page and for the count. Without one, an index has the page.
  const once = hasFilter(filters);
  return {
    // How many campaigns a word finds, or have no category, can only be estimated for each request.
    isPlannedEach: filters.q !== undefined || filters.category === UNKNOWN_CATEGORY,
    select: (sql, at) => {
      const order = orderOf(sql, sort);
      const key = sql(`campaign.${sortColumns[sort]}`);
      const sortKey = sort === 'newest' ? sql`` : sql`, ${key}`;
      const matching = sql`
        ledger.campaign campaign where ${campaignConditions(sql, at, filters)}`;
      const matched = sql`with matched as materialized (
        select campaign.campaign_id ${sortKey} from ${matching}
      )`;
      const from = once ? sql`matched campaign where true` : matching;
      return sql`
        ${once ? matched : sql``}
        select counted.total, page.sort_key, page.page_id, view.*
        from (select count(*) as total from ${from}) counted
        left join lateral (
          select campaign.campaign_id as page_id, row_number() over (order by ${order}) as position,
            ${key}::text as sort_key
          from (
            select campaign.campaign_id ${sortKey}
            from ${from} ${after ? sql`and ${isAfter(sql, sort, after)}` : sql``}
            order by ${order} ${limitTo(sql, limit + 1)}
          ) campaign
        ) page on true
        left join lateral (
          select ${campaignColumns(sql)}
          from ledger.campaign campaign ${joinCampaign(sql, at)}
          where campaign.campaign_id = page.page_id
        ) view on true
        order by page.position`;
    },
    answer: (rows, head) => {
      // An empty page has one row, of nulls, for the count.
      const found = rows.filter((row) => row.page_id !== null);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.flatMap((row) => (row.campaign_id === null ? [] : [campaignOf(row, head)])),
        next: last ? campaignCursor.decode(last) : null,
        total: rows[0] ? counted.decode(rows[0]).total : 0,
      };
    },
  };
}

/** The order of the indexes, including their order of nulls; the conditions leave no nulls. */
function orderOf(sql: Sql, sort: CampaignSort) {
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

function isAfter(sql: Sql, sort: CampaignSort, { key, campaignId }: CampaignCursor) {
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
