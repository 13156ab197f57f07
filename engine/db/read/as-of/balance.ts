import type { Fragment, Sql } from '../../connection.ts';

/** An event of a campaign: values, or columns of the statement around. */
export interface EventAt {
  readonly campaignId: string | Fragment;
  /** Sequence number of the event in the campaign. */
  readonly seq: string | Fragment;
}

/** An account in a campaign as of an event. */
export interface BalanceAt extends EventAt {
  readonly account: string | Fragment;
}

/**
 * The newest entry of the account until the event, as a subquery of one row of `entry`, or of none: one index probe. It
 * has the balances after it. Reservations have no entries, so `newestMovement` has the account's reserve.
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

/**
 * The newest movement of the account until the event, its entry or its reservation, as a subquery of one row, or of
 * none, with the columns `account`, `seq`, `block_number` and the balances after it. A reservation changes the reserve
 * alone. A few index probes.
 */
export function newestMovement(sql: Sql, at: BalanceAt) {
  return sql`(
    select ${at.account}::bytea as account, greatest(entry.seq, reservation.seq) as seq,
      greatest(entry.block_number, reservation.block_number) as block_number,
      case when reservation.seq > coalesce(entry.seq, 0) then reservation.reserved_after
        else entry.reserved_after end as reserved_after,
      coalesce(entry.claimable_after, 0) as claimable_after,
      coalesce(entry.claimed_after, 0) as claimed_after,
      coalesce(entry.refunded_after, 0) as refunded_after,
      coalesce(entry.reversed_after, 0) as reversed_after
    from (select) one
    left join lateral ${newestEntry(sql, at)} entry on true
    left join lateral ${newestReservation(sql, at)} reservation on true
    where entry.seq is not null or reservation.seq is not null
  )`;
}

/** The newest reservation of the account until the event, as a subquery of one row, or of none. */
function newestReservation(sql: Sql, at: BalanceAt) {
  return sql`(
    select level.reserved_after, sale.seq, sale.block_number
    from (
      select level.campaign_id, level.sale_id, level.reserved_after from ledger.sale_level level
      where level.campaign_id = ${at.campaignId} and level.recipient = ${at.account}
        and level.share <> 0 and level.sale_id <= ${newestSaleId(sql, at)}
      order by level.sale_id desc, level.level desc limit 1
    ) level
    join ledger.sale on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
  )`;
}

/**
 * The newest sale that the campaign recorded until the event, as a subquery of its id; null if there is none. The
 * contract counts its sales, so ids rise with the events that record them, which the audit checks. Sales have an index by
 * time, so it reads those of one second at most.
 */
export function newestSaleId(sql: Sql, { campaignId, seq }: EventAt) {
  return sql`(
    select sale_id from ledger.sale
    where campaign_id = ${campaignId} and seq <= ${seq} and block_timestamp <= (
      select block_timestamp from ledger.journal
      where campaign_id = ${campaignId} and seq <= ${seq} order by seq desc limit 1
    )
    order by block_timestamp desc, sale_id desc limit 1
  )`;
}

/** The first sale that the campaign recorded with the event or later, as a subquery of its id; null if there is none. */
export function firstSaleId(sql: Sql, { campaignId, seq }: EventAt) {
  return sql`(
    select sale_id from ledger.sale
    where campaign_id = ${campaignId} and seq >= ${seq} and block_timestamp >= (
      select block_timestamp from ledger.journal
      where campaign_id = ${campaignId} and seq >= ${seq} order by seq limit 1
    )
    order by block_timestamp, sale_id limit 1
  )`;
}

/** Block of the first movement of the account in the campaign; null if there is none. */
export function firstMovementBlock(sql: Sql, { campaignId, account }: Omit<BalanceAt, 'seq'>) {
  return sql`least((
    select entry.block_number from ledger.entry
    where entry.campaign_id = ${campaignId} and entry.account = ${account}
    order by entry.seq, entry.ordinal limit 1
  ), (
    select sale.block_number from (
      select level.campaign_id, level.sale_id from ledger.sale_level level
      where level.campaign_id = ${campaignId} and level.recipient = ${account} and level.share <> 0
      order by level.sale_id limit 1
    ) level
    join ledger.sale on sale.campaign_id = level.campaign_id and sale.sale_id = level.sale_id
  ))`;
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
