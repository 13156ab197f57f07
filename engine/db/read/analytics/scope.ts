import type { Stretch } from '../../../core/analytics.ts';
import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import type { ReadHead } from '../snapshot.ts';
import { joinStanding } from '../standing.ts';

/** Whose figures, and of when. */
export interface AnalyticsScope {
  readonly merchant: Address;
  /** Only these, as `ledgerId` gives them; left out, all of the merchant's. */
  readonly campaignIds: readonly string[] | undefined;
  /** Campaigns that are only told beside them, campaign by campaign. */
  readonly comparedIds: readonly string[];
  /** The token that amounts are of; `null` where there is no campaign. */
  readonly token: Address | null;
  readonly period: Stretch;
}

/**
 * The campaigns of a scope, as a fragment to select from. `main` is false of those that are only
 * compared, `counts` true where amounts are in the token; `seq` is the newest event at or below the
 * settled block.
 */
export function scopedCampaigns(sql: Sql, head: ReadHead, scope: AnalyticsScope) {
  const { merchant, campaignIds, comparedIds, token } = scope;
  const main =
    campaignIds === undefined
      ? sql`true`
      : sql`campaign.campaign_id = any(${[...campaignIds]}::bigint[])`;
  return sql`
    select campaign.campaign_id, ${main} as main, campaign.token = ${token}::text as counts,
      campaign.created_timestamp, standing.seq
    from ledger.campaign campaign
    ${joinStanding(sql, head, sql`seq`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      and (${main} or campaign.campaign_id = any(${[...comparedIds]}::bigint[]))`;
}
