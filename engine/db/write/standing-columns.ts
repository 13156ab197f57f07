import type { CampaignLedger, Standing } from '../../core/campaign.ts';
import type { Row } from './json-rows.ts';

/** A campaign's standing as `journal` and `campaign` both keep it. */
export function standingColumns(standing: Standing): Row {
  const { ledger, counts } = standing;
  return {
    funded: standing.funded,
    paused: standing.paused,
    ended: standing.ended,
    price: standing.price,
    node_capacity: standing.nodeCapacity,
    sale_capacity: standing.saleCapacity,
    net_deposited: ledger.netDeposited,
    available: ledger.available,
    pending_reserved: ledger.pendingReserved,
    vested_unclaimed: ledger.vestedUnclaimed,
    rewards_claimed: ledger.rewardsClaimed,
    surplus_withdrawn: ledger.surplusWithdrawn,
    proceeds_pending: ledger.proceedsPending,
    proceeds_claimable: ledger.proceedsClaimable,
    proceeds_claimed: ledger.proceedsClaimed,
    buyer_refunded: ledger.buyerRefunded,
    credit_outstanding: ledger.creditOutstanding,
    pending_count: counts.pending,
    finalized_count: counts.finalized,
    refunded_count: counts.refunded,
    reversed_count: counts.reversed,
    node_count: counts.nodes,
  };
}

/** The columns of the amounts of a campaign's ledgers, in the order of `ledgerFields`. */
export const ledgerColumnNames = [
  'net_deposited',
  'available',
  'pending_reserved',
  'vested_unclaimed',
  'rewards_claimed',
  'surplus_withdrawn',
  'proceeds_pending',
  'proceeds_claimable',
  'proceeds_claimed',
  'buyer_refunded',
  'credit_outstanding',
] as const;

export const standingColumnNames = [
  'funded',
  'paused',
  'ended',
  'price',
  'node_capacity',
  'sale_capacity',
  ...ledgerColumnNames,
  'pending_count',
  'finalized_count',
  'refunded_count',
  'reversed_count',
  'node_count',
] as const;

/** The same columns as PostgreSQL answers them: int8 and numeric as text. */
export type StandingRow = {
  readonly [C in (typeof standingColumnNames)[number]]: C extends 'funded' | 'paused' | 'ended'
    ? boolean
    : string;
};

export function ledgerOf(
  row: Pick<StandingRow, (typeof ledgerColumnNames)[number]>,
): CampaignLedger {
  return {
    netDeposited: BigInt(row.net_deposited),
    available: BigInt(row.available),
    pendingReserved: BigInt(row.pending_reserved),
    vestedUnclaimed: BigInt(row.vested_unclaimed),
    rewardsClaimed: BigInt(row.rewards_claimed),
    surplusWithdrawn: BigInt(row.surplus_withdrawn),
    proceedsPending: BigInt(row.proceeds_pending),
    proceedsClaimable: BigInt(row.proceeds_claimable),
    proceedsClaimed: BigInt(row.proceeds_claimed),
    buyerRefunded: BigInt(row.buyer_refunded),
    creditOutstanding: BigInt(row.credit_outstanding),
  };
}

export function standingOf(row: StandingRow): Standing {
  return {
    funded: row.funded,
    paused: row.paused,
    ended: row.ended,
    price: BigInt(row.price),
    nodeCapacity: Number(row.node_capacity),
    saleCapacity: Number(row.sale_capacity),
    ledger: ledgerOf(row),
    counts: {
      pending: Number(row.pending_count),
      finalized: Number(row.finalized_count),
      refunded: Number(row.refunded_count),
      reversed: Number(row.reversed_count),
      nodes: Number(row.node_count),
    },
  };
}
