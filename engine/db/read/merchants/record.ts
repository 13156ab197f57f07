import type { Address } from '../../../core/events.ts';
import {
  amount,
  as,
  integer,
  nullable,
  rowCodec,
  type StoredRow,
  seconds,
  type View,
} from '../../row.ts';
import { joinCampaignState } from '../as-of/campaign.ts';
import { salesAsOf } from '../sales/states.ts';
import type { Snapshot } from '../snapshot.ts';
import { tokenView, tokenWords } from '../tokens.ts';

const counts = rowCodec({
  campaigns: integer,
  since: nullable(seconds),
  pending: integer,
  /** Including reversed ones. */
  finalized: integer,
  refunded: integer,
  reversed: integer,
  /** Sales over which a buyer opened a dispute, even if the buyer withdrew it. */
  disputed: integer,
  /** Block of the newest event of its campaigns. */
  newestBlock: nullable(integer),
});

const times = rowCodec({
  lastSaleAt: nullable(seconds),
  /** Seconds from recording to finalization. */
  medianSeconds: nullable(as<number>()),
  /** Seconds from the end of the hold to finalization. */
  medianSecondsAfterHold: nullable(as<number>()),
});

const tokenRecord = rowCodec({
  token: tokenView.fields,
  settledSales: integer,
  settledValue: amount.from('settled'),
  refundedValue: amount.from('refunded'),
  pendingValue: amount.from('pending'),
});

/** Totals of the sales of an account in one token; base units. */
export type TokenRecord = View<typeof tokenRecord>;

/** The record of an account as a merchant, from all of its campaigns; times in unix seconds. */
export interface MerchantRecordView extends View<typeof counts>, View<typeof times> {
  readonly tokens: readonly TokenRecord[];
}

/** Maximum number of tokens in a record: anybody can create campaigns in any token. */
const MAX_TOKENS = 50;

/** The record of an account as a merchant: three statements. */
export async function merchantRecord(
  snapshot: Snapshot,
  address: Address,
): Promise<MerchantRecordView> {
  const [counted, timed, tokens] = await Promise.all([
    countsOf(snapshot, address),
    timesOf(snapshot, address),
    tokensOf(snapshot, address),
  ]);
  return { ...counted, ...timed, tokens };
}

async function countsOf({ sql, head }: Snapshot, address: Address) {
  const [row] = await sql<StoredRow[]>`
    select count(*) as campaigns, min(campaign.created_timestamp) as since,
      coalesce(sum(campaign_state.pending_count), 0) as pending,
      coalesce(sum(campaign_state.finalized_count), 0) as finalized,
      coalesce(sum(campaign_state.refunded_count), 0) as refunded,
      coalesce(sum(campaign_state.reversed_count), 0) as reversed,
      (select count(*) from commerce.dispute where merchant = ${address}) as disputed,
      max(campaign_state.block_number) as newest_block
    from ledger.campaign campaign
    ${joinCampaignState(sql, head, sql`pending_count, finalized_count, refunded_count, reversed_count, block_number`)}
    where campaign.merchant = ${address} and campaign.created_block <= ${head.number}`;
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return counts.decode(row);
}

async function timesOf({ sql, head }: Snapshot, address: Address) {
  const [row] = await sql<StoredRow[]>`
    with sold as (${salesAsOf(sql, head, sql`campaign.merchant = ${address}`)})
    select max(block_timestamp) as last_sale_at,
      percentile_cont(0.5) within group (order by finalized_at - block_timestamp) as median_seconds,
      percentile_cont(0.5) within group (order by greatest(finalized_at - hold_until, 0))
        filter (where finalized_at is not null) as median_seconds_after_hold
    from sold`;
  if (row === undefined) throw new Error('A select of totals returned no row.');
  return times.decode(row);
}

async function tokensOf({ sql, head }: Snapshot, address: Address): Promise<TokenRecord[]> {
  const rows = await sql<StoredRow[]>`
    with sold as (${salesAsOf(sql, head, sql`campaign.merchant = ${address}`)}),
    summed as (
      select campaign_id, count(*) filter (where state = 'finalized') as settled_sales,
        coalesce(sum(amount - refunded_total) filter (where state = 'finalized'), 0) as settled,
        sum(refunded_total) as refunded,
        coalesce(sum(amount - refunded_total) filter (where state = 'pending'), 0) as pending
      from sold group by campaign_id
    )
    select campaign.token,
      ${tokenWords(sql)},
      sum(summed.settled_sales) as settled_sales, sum(summed.settled) as settled,
      sum(summed.refunded) as refunded, sum(summed.pending) as pending
    from summed join ledger.campaign campaign on campaign.campaign_id = summed.campaign_id
    where campaign.merchant = ${address}
    group by campaign.token order by 5 desc, campaign.token limit ${MAX_TOKENS}`;
  return rows.map(tokenRecord.decode);
}
