import type { Fragment, Sql } from '../../connection.ts';

/** An account in a campaign as of an event: values, or columns of the statement around. */
export interface BalanceAt {
  readonly campaignId: string | Fragment;
  readonly account: string | Fragment;
  /** Sequence number of the event in the campaign. */
  readonly seq: string | Fragment;
}

/**
 * The newest entry of the account until the event, which has the balances after it, as a subquery of one
 * row of `entry`, or of none: one index probe.
 * @param columns of `entry`.
 */
export function newestEntry(sql: Sql, at: BalanceAt, columns: Fragment = sql`*`) {
  return sql`(
    select ${columns} from ledger.entry
    where entry.campaign_id = ${at.campaignId} and entry.account = ${at.account}
      and entry.seq <= ${at.seq}
    order by entry.seq desc, entry.ordinal desc limit 1
  )`;
}

/** Sequence number of the newest claim of the account until the event; null if there is none. */
export function newestClaim(sql: Sql, { campaignId, account, seq }: BalanceAt) {
  return sql`(
    select case when bucket.last_claim_seq <= ${seq} then bucket.last_claim_seq
      -- The newest claim is later than the event: there can be one before it.
      when bucket.last_claim_seq > ${seq} then (
        select entry.seq from ledger.entry
        where entry.campaign_id = ${campaignId} and entry.account = ${account}
          and entry.kind = 'claim' and entry.seq <= ${seq}
        order by entry.seq desc limit 1
      ) end
    from ledger.bucket
    where bucket.campaign_id = ${campaignId} and bucket.account = ${account}
  )`;
}
