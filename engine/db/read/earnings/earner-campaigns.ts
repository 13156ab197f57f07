import type { Address } from '../../../core/events.ts';
import type { Fragment, Sql } from '../../connection.ts';
import { firstMovementBlock, newestClaim } from '../as-of/balance.ts';
import { newestEvent } from '../as-of/campaign.ts';
import { joinLevelBefore, levelState } from '../as-of/level.ts';
import type { AsOf } from '../one-read.ts';

/** An account that earns rewards, and the campaigns to read; without ids, all of its campaigns. */
export interface Earner {
  readonly account: Address | Fragment;
  readonly campaignIds?: readonly string[] | undefined;
  /**
   * Conversions of the account in a campaign up to which its held levels are looked up among all its levels
   * there; with more, among the pending sales of the campaign, in the order of their holds. Default 200.
   */
  readonly fewConversions?: number;
}

/**
 * The campaigns in which an account owns a node or has a balance, as a fragment to select from. `seq` is
 * the newest event at or below the settled block, `ahead` is true if the rows include later events, and
 * `claim_seq` is the account's newest claim until `seq`.
 */
export function earnerCampaigns(sql: Sql, at: AsOf, { account, campaignIds }: Earner) {
  const isIncluded = (column: Fragment) => inCampaigns(sql, column, campaignIds);
  const claim = { campaignId: sql`member.campaign_id`, account, seq: sql`campaign_state.seq` };
  const ofBucket = { campaignId: sql`bucket.campaign_id`, account: sql`bucket.account` };
  return sql`
    select campaign.campaign_id, campaign.token, campaign_state.seq,
      cursor.seq > campaign_state.seq as ahead, ${newestClaim(sql, claim)} as claim_seq
    from (
      select campaign_id from ledger.node
      where owner = ${account} and block_number <= ${at.number} ${isIncluded(sql`campaign_id`)}
      union
      select bucket.campaign_id from ledger.bucket
      where bucket.account = ${account} ${isIncluded(sql`bucket.campaign_id`)}
        -- All movements of the balance can be later than the settled block.
        and ${firstMovementBlock(sql, ofBucket)} <= ${at.number}
    ) member
    join ledger.campaign campaign on campaign.campaign_id = member.campaign_id
    join ledger.cursor cursor on cursor.campaign_id = member.campaign_id
    join lateral ${newestEvent(sql, at, sql`member.campaign_id`, sql`seq`)} campaign_state on true`;
}

/**
 * The levels that the account has of sales in the campaigns of `as_of`, a table with the rows of
 * `earnerCampaigns`; each level as of the settled block.
 */
export function earnedLevels(sql: Sql, { account, campaignIds }: Earner) {
  return sql`
    select ${earnedColumns(sql)} from ledger.sale_level level
    join as_of on as_of.campaign_id = level.campaign_id
    ${joinEarned(sql)}
    where level.recipient = ${account} ${inCampaigns(sql, sql`level.campaign_id`, campaignIds)}`;
}

/** Columns of a level, of `sale_level` with what `joinEarned` joins, as of the settled block. */
export function earnedColumns(sql: Sql) {
  return sql`
    level.campaign_id, level.sale_id, level.level, level.node_id, level.share,
    sale.hold_until, as_of.seq as as_of, as_of.claim_seq, ${levelState(sql)},
    sale.amount as sale_amount, sale.block_number, sale.block_timestamp, sale.transaction_hash,
    sale.state, sale.finalized_at, sale.changed_seq`;
}

/** Joins to a `level` and its campaign in `as_of` what `earnedColumns` names, if its sale was recorded by then. */
export function joinEarned(sql: Sql) {
  return sql`
    join ledger.sale sale
      on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
      and sale.seq <= as_of.seq
    ${joinLevelBefore(sql, sql`as_of.ahead`, sql`as_of.seq`)}`;
}

/** A condition: the column is one of the ids. A single id is compared with `=`, so that an index orders the rows. */
function inCampaigns(sql: Sql, column: Fragment, campaignIds: readonly string[] | undefined) {
  if (campaignIds === undefined) return sql``;
  const [only] = campaignIds;
  if (campaignIds.length === 1 && only !== undefined) return sql`and ${column} = ${only}::bigint`;
  return sql`and ${column} = any(${[...campaignIds]}::bigint[])`;
}
