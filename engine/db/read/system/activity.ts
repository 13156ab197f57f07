import { DAY_SECONDS } from '../../../core/analytics.ts';
import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { toInteger } from '../../ids.ts';
import { fence } from '../../planner.ts';
import { address, amount, id, integer, nullable, rowCodec, type StoredRow } from '../../row.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { campaignConditions, isListed } from '../campaigns/filters.ts';
import { saleCorrections } from '../corrections.ts';
import type { Snapshot } from '../snapshot.ts';

/** Days since 1970 in UTC, both included. */
export interface DayRange {
  readonly first: number;
  readonly last: number;
}

/** Sales of a day in campaigns that lists show. */
export interface ActivityDay {
  /** Recorded on that day, in whatever state. */
  readonly sales: number;
  /** Campaigns that recorded one. */
  readonly campaigns: number;
}

/** Sales of a day in one token. Amounts in base units, of the sales that are finalized and not reversed. */
export interface TokenDay {
  readonly sales: number;
  /** Amounts less refunds. */
  readonly settledValue: bigint;
  /** Rewards that their levels vested. */
  readonly rewards: bigint;
}

/** Activity by the number of the day; days without a sale are missing. */
export interface Activity {
  readonly days: ReadonlyMap<number, ActivityDay>;
  /** By token, the one with most sales first. */
  readonly tokens: ReadonlyMap<Address, ReadonlyMap<number, TokenDay>>;
}

const activityRow = rowCodec({
  /** `null` in the row of all tokens. */
  token: nullable(address),
  day: id,
  sales: integer,
  campaigns: integer,
  value: amount,
  rewards: amount,
});

/**
 * Sales by day, of all tokens and of those with the most sales: one statement. It reads totals by day and corrects
 * them by the sales that changed after the settled block: its cost depends on the number of campaigns with a sale
 * in these days, not of sales.
 * @param maxTokens largest number of tokens.
 */
export async function activityByDay(
  { sql, head }: Snapshot,
  range: DayRange,
  maxTokens: number,
): Promise<Activity> {
  const rows = await sql<StoredRow[]>`
    with as_of as materialized (
      select active.campaign_id, listed.token, newest.seq
      from (select distinct campaign_id from ledger.sale_day sums where ${inRange(sql, range)}) active
      cross join lateral (
        select campaign.token from ledger.campaign campaign
        where campaign.campaign_id = active.campaign_id
          and campaign.created_block <= ${head.number} and ${isListed(sql)} ${fence(sql)}
      ) listed
      cross join lateral ${newestEvent(sql, head, sql`active.campaign_id`, sql`seq`)} newest
    ), recent as (
      select as_of.campaign_id, as_of.token, sums.day,
        sums.pending + sums.finalized + sums.refunded + sums.reversed as sales,
        sums.value, sums.rewards
      from as_of join ledger.sale_day sums on sums.campaign_id = as_of.campaign_id
      where ${inRange(sql, range)}
    ), happened as materialized (
      select campaign_id, token, day, sum(sales) as sales, sum(value) as value, sum(rewards) as rewards
      from (select * from recent union all ${corrections(sql, range)}) every
      group by campaign_id, token, day having sum(sales) > 0
    ), most_sold as materialized (
      select token, sum(sales) as total from happened
      group by token order by total desc, token collate "C" limit ${maxTokens}
    )
    select null as token, day, sum(sales) as sales, count(*) as campaigns, 0 as value, 0 as rewards,
      0 as total
    from happened group by day
    union all
    select token, day, sum(sales), count(*), sum(value), sum(rewards), most_sold.total
    from happened join most_sold using (token) group by token, day, most_sold.total
    order by total desc, token, day`;
  return activityOf(rows);
}

/** A condition on `sums`: its day is in the range. */
function inRange(sql: Sql, { first, last }: DayRange) {
  return sql`sums.day >= ${first}::bigint and sums.day <= ${last}::bigint`;
}

/** Corrections that make `recent` as of the block: sales of these days that a later event recorded or changed. */
function corrections(sql: Sql, { first, last }: DayRange) {
  return sql`
    select campaign_id, token, block_timestamp / ${DAY_SECONDS}::bigint, sign,
      case when state = 'finalized' then sign * remaining else 0 end,
      case when state = 'finalized' and node_id is not null then sign * (
        -- A finalized sale does not vest again: its levels have the same rewards now as then.
        select coalesce(sum(level.vested), 0) from ledger.sale_level level
        where level.campaign_id = changed.campaign_id and level.sale_id = changed.sale_id
      ) else 0 end
    from (${saleCorrections(sql, sql`as_of.token`)}) changed
    where block_timestamp / ${DAY_SECONDS}::bigint between ${first}::bigint and ${last}::bigint`;
}

function activityOf(rows: readonly StoredRow[]): Activity {
  const days = new Map<number, ActivityDay>();
  const tokens = new Map<Address, Map<number, TokenDay>>();
  for (const { token, ...row } of rows.map(activityRow.decode)) {
    const { sales, campaigns, value: settledValue, rewards } = row;
    const day = toInteger(row.day);
    if (token === null) {
      days.set(day, { sales, campaigns });
      continue;
    }
    const known = tokens.get(token) ?? new Map<number, TokenDay>();
    tokens.set(token, known.set(day, { sales, settledValue, rewards }));
  }
  return { days, tokens };
}

const newestToken = rowCodec({ token: address });

/** Campaigns whose tokens are named if hardly anything was sold. */
const NEWEST_CAMPAIGNS = 100;

/** Tokens of the newest listed campaigns, the newest first: one statement. */
export async function newestTokens({ sql, head }: Snapshot, limit: number): Promise<Address[]> {
  const rows = await sql<StoredRow[]>`
    select token from (
      select campaign.token, campaign.campaign_id from ledger.campaign campaign
      where campaign.created_block <= ${head.number} and ${isListed(sql)}
      order by campaign.campaign_id desc limit ${NEWEST_CAMPAIGNS}
    ) newest
    group by token order by max(campaign_id) desc limit ${limit}`;
  return rows.map((row) => newestToken.decode(row).token);
}

const campaignCounts = rowCodec({ listed: integer, live: integer });

/** Listed campaigns, and those of them that take sales at the block: one statement. */
export async function countCampaigns({ sql, head }: Snapshot) {
  const [row] = await sql<StoredRow[]>`
    select (
        select count(*) from ledger.campaign campaign where ${campaignConditions(sql, head, {})}
      ) as listed, (
        select count(*) from ledger.campaign campaign
        where ${campaignConditions(sql, head, { status: 'active' })}
      ) as live`;
  return row === undefined ? { listed: 0, live: 0 } : campaignCounts.decode(row);
}
