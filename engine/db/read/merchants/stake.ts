import type { Address } from '../../../core/events.ts';
import { hexBytes } from '../../hex.ts';
import { amount, integer, rowCodec, type StoredRow, type View } from '../../row.ts';
import { newestEntry } from '../as-of/balance.ts';
import { joinCampaignState, newestEvent, policyInEffect } from '../as-of/campaign.ts';
import { joinBeforeChange, saleRefunded, saleState } from '../as-of/sale.ts';
import { isAwaited, refundGoalSql } from '../disputes/rows.ts';
import type { Snapshot } from '../snapshot.ts';
import { tokenView, tokenWords } from '../tokens.ts';

/** Row codec of `TokenAmount`. */
export const tokenAmount = rowCodec({ token: tokenView.fields, amount });

/** An amount of one token, base units. */
export type TokenAmount = View<typeof tokenAmount>;

/** Open sales, rewards, payments and disputes of a merchant, as of the settled block. */
export interface MerchantStake {
  /** Sales that are not finalized yet, and what is held of buyers' payments and reserved rewards. */
  readonly pending: { readonly sales: number; readonly held: readonly TokenAmount[] };
  /** Rewards that vested and were not claimed, and the number of accounts that can claim them. */
  readonly unclaimed: { readonly accounts: number; readonly rewards: readonly TokenAmount[] };
  /** Payments that the merchant has not claimed. */
  readonly proceeds: { readonly campaigns: number; readonly amounts: readonly TokenAmount[] };
  /** Number of campaigns that take sales, now or from their start on. */
  readonly liveCampaigns: number;
  /** Number of disputes over pending sales that were neither declined, withdrawn nor refunded. */
  readonly openDisputes: number;
}

const tokenStake = rowCodec({
  token: tokenView.fields,
  pendingSales: integer,
  held: amount,
  rewards: amount,
  proceeds: amount,
  withProceeds: integer,
  live: integer,
});

/** Open sales, rewards, payments and disputes of a merchant: three statements. */
export async function merchantStake(snapshot: Snapshot, merchant: Address): Promise<MerchantStake> {
  const [rows, accounts, disputes] = await Promise.all([
    byToken(snapshot, merchant),
    unclaimedAccounts(snapshot, merchant),
    disputesOf(snapshot, merchant),
  ]);
  const sum = (field: 'pendingSales' | 'withProceeds' | 'live') =>
    rows.reduce((total, row) => total + row[field], 0);
  const amounts = (field: 'held' | 'rewards' | 'proceeds') =>
    rows.flatMap((row) => (row[field] === 0n ? [] : [{ token: row.token, amount: row[field] }]));
  return {
    pending: { sales: sum('pendingSales'), held: amounts('held') },
    unclaimed: { accounts, rewards: amounts('rewards') },
    proceeds: { campaigns: sum('withProceeds'), amounts: amounts('proceeds') },
    liveCampaigns: sum('live'),
    openDisputes: disputes,
  };
}

async function byToken({ sql, head }: Snapshot, merchant: Address) {
  const rows = await sql<StoredRow[]>`
    select campaign.token,
      ${tokenWords(sql)},
      sum(campaign_state.pending_count) as pending_sales,
      sum(campaign_state.proceeds_pending + campaign_state.pending_reserved) as held,
      sum(campaign_state.vested_unclaimed) as rewards,
      sum(campaign_state.proceeds_claimable) as proceeds,
      count(*) filter (where campaign_state.proceeds_claimable <> 0) as with_proceeds,
      count(*) filter (
        where campaign_state.funded and not campaign_state.paused and not campaign_state.ended
          and campaign.ends_at > ${head.timestamp} and policy.expiry > ${head.timestamp}
      ) as live
    from ledger.campaign campaign
    ${joinCampaignState(sql, head)}
    left join lateral ${policyInEffect(sql, head)} policy on true
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
    group by campaign.token order by campaign.token`;
  return rows.map(tokenStake.decode);
}

/** Number of accounts that have something to claim. */
async function unclaimedAccounts({ sql, head }: Snapshot, merchant: Address): Promise<number> {
  const balance = {
    campaignId: sql`bucket.campaign_id`,
    account: sql`bucket.account`,
    seq: sql`campaign_state.seq`,
  };
  const [row] = await sql<{ accounts: string }[]>`
    select count(distinct bucket.account) as accounts
    from ledger.campaign campaign
    join ledger.bucket bucket on bucket.campaign_id = campaign.campaign_id
    ${joinCampaignState(sql, head, sql`seq`)}
    join lateral ${newestEntry(sql, balance, sql`entry.claimable_after`)} newest on true
    where campaign.merchant = ${merchant} and campaign.created_block <= ${head.number}
      and newest.claimable_after <> 0`;
  return Number(row?.accounts ?? 0);
}

/** Number of open disputes. A dispute refers to its sale by buyer and order key: ids can change in a reorg. */
async function disputesOf({ sql, head }: Snapshot, merchant: Address): Promise<number> {
  const [row] = await sql<{ disputes: string }[]>`
    select count(*) as disputes
    from commerce.dispute dispute
    join ledger.sale sale on sale.buyer = ${hexBytes(sql, sql`dispute.buyer`)}
      and sale.order_key = ${hexBytes(sql, sql`dispute.order_key`)}
      and sale.campaign_id = dispute.campaign_id and sale.block_number <= ${head.number}
    join lateral ${newestEvent(sql, head, sql`sale.campaign_id`, sql`seq`)} campaign_state on true
    ${joinBeforeChange(sql, sql`campaign_state.seq`)}
    where dispute.merchant = ${merchant} and ${isAwaited(sql)}
      and ${saleState(sql)} = 'pending' and ${saleRefunded(sql)} < ${refundGoalSql(sql)}`;
  return Number(row?.disputes ?? 0);
}
