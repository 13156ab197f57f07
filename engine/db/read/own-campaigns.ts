import type { Address } from '../../core/events.ts';
import type { Sql } from '../connection.ts';
import type { ReadHead } from './snapshot.ts';

/** Whose campaigns, and which of them; without ids, all. */
export interface Earner {
  readonly account: Address;
  readonly campaignIds?: readonly string[] | undefined;
}

/**
 * The campaigns in which an account owns a node or has a balance, as a fragment to select from:
 * `seq` is the newest event at or below the settled block, `ahead` whether the rows hold later ones,
 * and `claim_seq` the account's newest claim up to `seq`.
 */
export function earnerCampaigns(sql: Sql, head: ReadHead, { account, campaignIds }: Earner) {
  const these = (column: ReturnType<Sql>) => ofCampaigns(sql, column, campaignIds);
  return sql`
    select campaign.campaign_id, campaign.token, standing.seq, cursor.seq > standing.seq as ahead,
      case when bucket.last_claim_seq <= standing.seq then bucket.last_claim_seq
        else earlier.seq end as claim_seq
    from (
      select campaign_id from ledger.node
      where owner = ${account} and block_number <= ${head.number} ${these(sql`campaign_id`)}
      union
      select bucket.campaign_id from ledger.bucket
      where bucket.account = ${account} ${these(sql`bucket.campaign_id`)} and (
        -- The row itself may be of events yet to settle.
        select entry.block_number from ledger.entry
        where entry.campaign_id = bucket.campaign_id and entry.account = bucket.account
        order by entry.seq, entry.ordinal limit 1
      ) <= ${head.number}
    ) own
    join ledger.campaign campaign on campaign.campaign_id = own.campaign_id
    join ledger.cursor cursor on cursor.campaign_id = own.campaign_id
    join lateral (
      select seq from ledger.journal
      where campaign_id = own.campaign_id and block_number <= ${head.number}
      order by block_number desc, seq desc limit 1
    ) standing on true
    left join ledger.bucket bucket
      on bucket.campaign_id = own.campaign_id and bucket.account = ${account}
    -- The newest claim is yet to settle: there may be one before it.
    left join lateral (
      select entry.seq from ledger.entry
      where entry.campaign_id = own.campaign_id and entry.account = ${account}
        and entry.kind = 'claim' and entry.seq <= standing.seq
        and bucket.last_claim_seq > standing.seq
      order by entry.seq desc limit 1
    ) earlier on true`;
}

/**
 * The levels that the account has of sales, over `own`, which is what `earnerCampaigns` selects; each
 * as of the settled block. The rows hold the newest standing; where the campaign's ledger is ahead, the
 * standing is the sum of the level's entries up to then.
 */
export function earnedLevels(sql: Sql, { account, campaignIds }: Earner) {
  return sql`
    select level.campaign_id, level.sale_id, level.level, level.node_id, level.share,
      level.hold_until, own.seq as as_of, own.claim_seq,
      case when own.ahead then coalesce(past.held, level.share) else level.reserved end as reserved,
      case when own.ahead then past.released else level.released end as released,
      case when own.ahead then past.vested else level.vested end as vested,
      case when own.ahead then past.reversed else level.reversed end as reversed,
      case when own.ahead then past.vested_seq else level.vested_seq end as vested_seq,
      sale.amount as sale_amount, sale.block_number, sale.block_timestamp, sale.transaction_hash,
      sale.state, sale.finalized_at, sale.changed_seq
    from ledger.sale_level level
    -- Every level is of one of them. An inner join, or a strict condition, would make the planner
    -- expect few to be, and read all levels of an account for a page of them.
    left join own on own.campaign_id = level.campaign_id
    join ledger.sale sale
      on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
      and sale.seq <= coalesce(own.seq, 0)
    left join lateral (
      select
        coalesce(sum(amount) filter (where kind = 'release'), 0) as released,
        coalesce(sum(amount) filter (where kind = 'vest'), 0) as vested,
        coalesce(sum(amount) filter (where kind = 'reverse'), 0) as reversed,
        max(entry.seq) filter (where kind = 'vest') as vested_seq,
        (array_agg(held_after order by entry.seq desc, ordinal desc))[1] as held
      from ledger.entry
      where own.ahead and entry.campaign_id = level.campaign_id
        and entry.sale_id = level.sale_id and entry.level = level.level and entry.seq <= own.seq
    ) past on own.ahead
    where level.recipient = ${account} ${ofCampaigns(sql, sql`level.campaign_id`, campaignIds)}`;
}

/** One campaign is compared as such, so that an index gives its rows in their order. */
function ofCampaigns(
  sql: Sql,
  column: ReturnType<Sql>,
  campaignIds: readonly string[] | undefined,
) {
  if (campaignIds === undefined) return sql``;
  const [only] = campaignIds;
  if (campaignIds.length === 1 && only !== undefined) return sql`and ${column} = ${only}::bigint`;
  return sql`and ${column} = any(${[...campaignIds]}::bigint[])`;
}
