import type { Address } from '../../core/events.ts';
import { toInteger, toIntegerOrNull } from './ids.ts';
import { saleStandings } from './sale-standings.ts';
import type { Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** What the ledger says of all campaigns of an account; times in unix seconds. */
export interface MerchantRecordView {
  readonly campaigns: number;
  readonly since: number | null;
  readonly lastSaleAt: number | null;
  readonly pending: number;
  /** Reversed ones included. */
  readonly finalized: number;
  readonly refunded: number;
  readonly reversed: number;
  /** Sales over which a buyer opened a dispute. */
  readonly disputed: number;
  /** From recording to finalization, and from the end of the hold; seconds. */
  readonly medianSeconds: number | null;
  readonly medianSecondsAfterHold: number | null;
  readonly tokens: readonly TokenRecord[];
  /** Block of the newest event of its campaigns. */
  readonly newestBlock: number | null;
}

/** The same in one token; base units. */
export interface TokenRecord {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly settledSales: number;
  readonly settledValue: bigint;
  readonly refundedValue: bigint;
  readonly pendingValue: bigint;
}

/** Tokens that are told: anybody may create campaigns in any. */
const TOKENS_MOST = 50;

/** Three statements over the campaigns of one account. */
export async function merchantRecord(
  snapshot: Snapshot,
  address: Address,
): Promise<MerchantRecordView> {
  const [counts, times, tokens] = await Promise.all([
    countsOf(snapshot, address),
    timesOf(snapshot, address),
    tokensOf(snapshot, address),
  ]);
  return { ...counts, ...times, tokens };
}

async function countsOf({ sql, head }: Snapshot, address: Address) {
  const [row] = await sql<
    {
      campaigns: string;
      since: string | null;
      pending: string;
      finalized: string;
      refunded: string;
      reversed: string;
      disputed: string;
      newest_block: string | null;
    }[]
  >`
    select count(*) as campaigns, min(campaign.created_timestamp) as since,
      coalesce(sum(standing.pending_count), 0) as pending,
      coalesce(sum(standing.finalized_count), 0) as finalized,
      coalesce(sum(standing.refunded_count), 0) as refunded,
      coalesce(sum(standing.reversed_count), 0) as reversed,
      (select count(*) from commerce.dispute where merchant = ${address}) as disputed,
      max(standing.block_number) as newest_block
    from ledger.campaign campaign
    ${joinStanding(sql, head, sql`pending_count, finalized_count, refunded_count, reversed_count, block_number`)}
    where campaign.merchant = ${address} and campaign.created_block <= ${head.number}`;
  return {
    campaigns: toInteger(row?.campaigns ?? '0'),
    since: toIntegerOrNull(row?.since ?? null),
    pending: toInteger(row?.pending ?? '0'),
    finalized: toInteger(row?.finalized ?? '0'),
    refunded: toInteger(row?.refunded ?? '0'),
    reversed: toInteger(row?.reversed ?? '0'),
    disputed: toInteger(row?.disputed ?? '0'),
    newestBlock: toIntegerOrNull(row?.newest_block ?? null),
  };
}

async function timesOf({ sql, head }: Snapshot, address: Address) {
  const [row] = await sql<
    { last_sale_at: string | null; to_finalize: number | null; after_hold: number | null }[]
  >`
    with sold as (${saleStandings(sql, head, sql`campaign.merchant = ${address}`)})
    select max(block_timestamp) as last_sale_at,
      percentile_cont(0.5) within group (order by finalized_at - block_timestamp) as to_finalize,
      percentile_cont(0.5) within group (order by greatest(finalized_at - hold_until, 0))
        filter (where finalized_at is not null) as after_hold
    from sold`;
  return {
    lastSaleAt: toIntegerOrNull(row?.last_sale_at ?? null),
    medianSeconds: row?.to_finalize ?? null,
    medianSecondsAfterHold: row?.after_hold ?? null,
  };
}

/** A token may name itself anew: the newest campaign's word holds. */
async function tokensOf({ sql, head }: Snapshot, address: Address): Promise<TokenRecord[]> {
  const rows = await sql<
    {
      token: Address;
      symbol: string;
      decimals: number;
      name: string;
      settled_sales: string;
      settled: string;
      refunded: string;
      pending: string;
    }[]
  >`
    with sold as (${saleStandings(sql, head, sql`campaign.merchant = ${address}`)}),
    summed as (
      select campaign_id, count(*) filter (where state = 'finalized') as settled_sales,
        coalesce(sum(amount - refunded_total) filter (where state = 'finalized'), 0) as settled,
        sum(refunded_total) as refunded,
        coalesce(sum(amount - refunded_total) filter (where state = 'pending'), 0) as pending
      from sold group by campaign_id
    )
    select campaign.token,
      (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
      (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
      (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name,
      sum(summed.settled_sales) as settled_sales, sum(summed.settled) as settled,
      sum(summed.refunded) as refunded, sum(summed.pending) as pending
    from summed join ledger.campaign campaign on campaign.campaign_id = summed.campaign_id
    where campaign.merchant = ${address}
    group by campaign.token order by 5 desc, campaign.token limit ${TOKENS_MOST}`;
  return rows.map(({ token, symbol, decimals, name, ...sums }) => ({
    token: { address: token, symbol, decimals, name },
    settledSales: toInteger(sums.settled_sales),
    settledValue: BigInt(sums.settled),
    refundedValue: BigInt(sums.refunded),
    pendingValue: BigInt(sums.pending),
  }));
}
