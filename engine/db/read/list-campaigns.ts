import type { Sql } from '../connection.ts';
import { type CampaignFilters, campaignConditions } from './campaign-filters.ts';
import {
  type CampaignRow,
  type CampaignView,
  campaignColumns,
  campaignJoins,
  campaignOf,
} from './campaign-rows.ts';
import { toInteger } from './ids.ts';
import { limitTo, type OneRead } from './one-read.ts';

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

/** There is always one: where the page is empty, for the count alone. */
type PageRow = { total: string; sort_key: string; page_id: string | null } & (
  | CampaignRow
  | { campaign_id: null }
);

/** A page of campaigns and how many there are in all: one statement, however long the page is. */
export function campaignList({
  filters,
  sort,
  after,
  limit,
}: CampaignQuery): OneRead<PageRow, CampaignPage> {
  return {
    select: (sql, at) => {
      const order = orderOf(sql, sort);
      const key = sql(`campaign.${sortColumns[sort]}`);
      const matching = sql`
        ledger.campaign campaign where ${campaignConditions(sql, at, filters)}`;
      // What no index of campaigns answers is looked for once, for the page and for the count.
      const once = filters.q !== undefined || filters.category !== undefined;
      const matched = sql`with matched as materialized (
        select campaign.campaign_id ${sort === 'newest' ? sql`` : sql`, ${key}`} from ${matching}
      )`;
      const from = once ? sql`matched campaign where true` : matching;
      return sql`
        ${once ? matched : sql``}
        select counted.total, page.sort_key, page.page_id, view.*
        from (select count(*) as total from ${from}) counted
        left join lateral (
          select campaign.campaign_id as page_id, row_number() over (order by ${order}) as place,
            ${key}::text as sort_key
          from ${from} ${after ? sql`and ${afterPlace(sql, sort, after)}` : sql``}
          order by ${order} ${limitTo(sql, limit + 1)}
        ) page on true
        left join lateral (
          select ${campaignColumns(sql)}
          from ledger.campaign campaign ${campaignJoins(sql, at)}
          where campaign.campaign_id = page.page_id
        ) view on true
        order by page.place`;
    },
    answer: (rows, head) => {
      const found = rows.flatMap((row) =>
        row.page_id === null ? [] : [{ ...row, page_id: row.page_id }],
      );
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      return {
        items: shown.flatMap((row) => (row.campaign_id === null ? [] : [campaignOf(row, head)])),
        next: last ? { key: last.sort_key, campaignId: last.page_id } : null,
        total: toInteger(rows[0]?.total ?? '0'),
      };
    },
  };
}

/** As the indexes have it, nulls included; the conditions leave none. */
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

function afterPlace(sql: Sql, sort: CampaignSort, { key, campaignId }: CampaignPlace) {
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
