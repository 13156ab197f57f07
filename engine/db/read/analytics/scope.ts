import type { TimeRange } from '../../../core/analytics.ts';
import type { Address } from '../../../core/events.ts';
import type { Sql } from '../../connection.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import type { ReadHead } from '../snapshot.ts';

/** Campaigns and period that analytics are about. */
export interface AnalyticsScope {
  readonly merchant: Address;
  /** Only these, as `ledgerId` returns them; if left out, all of the merchant's. */
  readonly campaignIds: readonly string[] | undefined;
  /** Campaigns that are only compared with them, campaign by campaign. */
  readonly comparedIds: readonly string[];
  /** The token of the amounts; `null` if there is no campaign. */
  readonly token: Address | null;
  readonly period: TimeRange;
}

/**
 * The campaigns of a scope, as a fragment to select from. `main` is false for those that are only compared,
 * `counts` is true if amounts are in the token, and `seq` is the newest event at or below the settled
 * block.
 */
export function scopedCampaigns(sql: Sql, head: ReadHead, scope: AnalyticsScope) {
  const { merchant, campaignIds, comparedIds, token } = scope;
  const main =
    campaignIds === undefined
      ? sql`true`
      : sql`campaign.campaign_id = any(${[...campaignIds]}::bigint[])`;
  return sql`
    select campaign.campaign_id, ${main} as main, campaign.token = ${token}::text as counts,
      campaign.created_timestamp, campaign_state.seq
    from ledger.campaign campaign
    ${joinCampaignState(sql, head, sql`seq`)}
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      and (${main} or campaign.campaign_id = any(${[...comparedIds]}::bigint[]))`;
}
