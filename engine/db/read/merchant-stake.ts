import type { Address } from '../../core/events.ts';
import { toInteger } from './ids.ts';
import type { Snapshot } from './snapshot.ts';
import { joinStanding } from './standing.ts';

/** An amount of one token, base units. */
export interface TokenAmount {
  readonly token: { address: Address; symbol: string; decimals: number; name: string };
  readonly amount: bigint;
}

/** What is open in the campaigns of a merchant, as of the settled block. */
export interface MerchantStake {
  /** Sales that nobody finalized yet; of buyers' payments and reserved rewards what is held. */
  readonly pending: { readonly sales: number; readonly held: readonly TokenAmount[] };
  /** Rewards that vested, and which accounts did not claim. */
  readonly unclaimed: { readonly accounts: number; readonly rewards: readonly TokenAmount[] };
  /** Payments that the merchant did not claim. */
  readonly proceeds: { readonly campaigns: number; readonly amounts: readonly TokenAmount[] };
  /** Campaigns that take sales, now or from their start on. */
  readonly liveCampaigns: number;
  /** Disputes over pending sales that the merchant did not decline, and that no refund settled. */
  readonly openDisputes: number;
}

interface StakeRow {
  token: Address;
  symbol: string;
  decimals: number;
  name: string;
  pending_sales: string;
  held: string;
  rewards: string;
  proceeds: string;
  with_proceeds: string;
  live: string;
}

/** Three statements over the campaigns of one account. */
export async function merchantStake(snapshot: Snapshot, address: Address): Promise<MerchantStake> {
  const [rows, accounts, disputes] = await Promise.all([
    byToken(snapshot, address),
    unclaimedAccounts(snapshot, address),
    disputesOf(snapshot, address),
  ]);
  const sum = (column: 'pending_sales' | 'with_proceeds' | 'live') =>
    rows.reduce((total, row) => total + toInteger(row[column]), 0);
  const amounts = (column: 'held' | 'rewards' | 'proceeds') =>
    rows.flatMap(({ token, symbol, decimals, name, ...row }) => {
      const amount = BigInt(row[column]);
      return amount === 0n ? [] : [{ token: { address: token, symbol, decimals, name }, amount }];
    });
  return {
    pending: { sales: sum('pending_sales'), held: amounts('held') },
    unclaimed: { accounts, rewards: amounts('rewards') },
    proceeds: { campaigns: sum('with_proceeds'), amounts: amounts('proceeds') },
    liveCampaigns: sum('live'),
    openDisputes: disputes,
  };
}

/** A token may name itself anew: the newest campaign's word holds. */
async function byToken({ sql, head }: Snapshot, address: Address): Promise<StakeRow[]> {
  return await sql<StakeRow[]>`
    select campaign.token,
      (array_agg(campaign.token_symbol order by campaign.campaign_id desc))[1] as symbol,
      (array_agg(campaign.token_decimals order by campaign.campaign_id desc))[1] as decimals,
      (array_agg(campaign.token_name order by campaign.campaign_id desc))[1] as name,
      sum(standing.pending_count) as pending_sales,
      sum(standing.proceeds_pending + standing.pending_reserved) as held,
      sum(standing.vested_unclaimed) as rewards,
      sum(standing.proceeds_claimable) as proceeds,
      count(*) filter (where standing.proceeds_claimable <> 0) as with_proceeds,
      count(*) filter (
        where standing.funded and not standing.paused and not standing.ended
          and campaign.ends_at > ${head.timestamp} and policy.expiry > ${head.timestamp}
      ) as live
    from ledger.campaign campaign
    ${joinStanding(sql, head)}
    left join lateral (
      select expiry from ledger.policy
      where campaign_id = campaign.campaign_id and seq <= standing.seq
        and effective_at <= ${head.timestamp}
      order by version desc limit 1
    ) policy on true
    where campaign.merchant = ${address} and campaign.created_block <= ${head.number}
    group by campaign.token order by campaign.token`;
}

/** Accounts that have something to claim, each once. */
async function unclaimedAccounts({ sql, head }: Snapshot, address: Address): Promise<number> {
  const [row] = await sql<{ accounts: string }[]>`
    select count(distinct bucket.account) as accounts
    from ledger.campaign campaign
    join ledger.bucket bucket on bucket.campaign_id = campaign.campaign_id
    join lateral (
      select claimable_after from ledger.entry
      where campaign_id = bucket.campaign_id and account = bucket.account
        and block_number <= ${head.number}
      order by seq desc, ordinal desc limit 1
    ) newest on true
    where campaign.merchant = ${address} and campaign.created_block <= ${head.number}
      and newest.claimable_after <> 0`;
  return toInteger(row?.accounts ?? '0');
}

/** A dispute names its sale by what the buyer chose: ids may change in a reorg. */
async function disputesOf({ sql, head }: Snapshot, address: Address): Promise<number> {
  const [row] = await sql<{ disputes: string }[]>`
    select count(*) as disputes
    from commerce.dispute dispute
    join ledger.sale sale on sale.buyer = dispute.buyer and sale.order_key = dispute.order_key
      and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
    join lateral (
      select seq from ledger.journal
      where campaign_id = sale.campaign_id and block_number <= ${head.number}
      order by block_number desc, seq desc limit 1
    ) standing on true
    join lateral (
      select state, refunded_total from ledger.sale_version
      where campaign_id = sale.campaign_id and sale_id = sale.sale_id and seq <= standing.seq
      order by seq desc limit 1
    ) now on true
    where dispute.merchant = ${address} and dispute.answer in ('open', 'accepted')
      and now.state = 'pending' and now.refunded_total - dispute.refunded_before
        < coalesce(dispute.accepted_amount, dispute.requested_amount)`;
  return toInteger(row?.disputes ?? '0');
}
