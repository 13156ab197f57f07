/**
 * The identities of a campaign's ledgers (docs/how-it-works/ledger.md), added up again from the parts that the
 * API served: a sum that is wrong is shown, whatever the cause.
 */
import { sum } from '../../../engine/core/amounts.ts';

/** One part of a sum, base units. */
export interface Part {
  readonly name: string;
  readonly label: string;
  readonly amount: bigint;
}

/** A total, the parts that must add up to it, and whether they do; base units. */
export interface Identity {
  readonly name: 'rewards' | 'sales' | 'reserved' | 'unclaimed' | 'claimed';
  readonly label: string;
  readonly total: bigint;
  readonly parts: readonly Part[];
  readonly sum: bigint;
  /** sum − total: zero where it adds up. */
  readonly difference: bigint;
}

/** `rewardLedger` of a campaign, amounts as the API writes them. */
export interface RewardLedger {
  readonly netDeposited: string;
  readonly available: string;
  readonly pendingReserved: string;
  readonly vestedUnclaimed: string;
  readonly rewardsClaimed: string;
  readonly surplusWithdrawn: string;
}

/** `proceedsLedger` of a campaign. */
export interface ProceedsLedger {
  readonly proceedsPending: string;
  readonly proceedsClaimable: string;
  readonly proceedsClaimed: string;
  readonly buyerRefunded: string;
}

/** Sums of `campaigns.stats` over the sales and their levels. */
export interface CampaignSums {
  readonly value: { readonly recorded: string };
  readonly rewards: {
    readonly atRisk: string;
    readonly readyToFinalize: string;
    readonly claimable: string;
    readonly claimed: string;
  };
}

export const addsUp = (identity: Identity): boolean => identity.difference === 0n;

/** All deposits are available, promised, owed, paid, or withdrawn by the merchant. */
export function rewardIdentity(ledger: RewardLedger): Identity {
  return identityOf('rewards', 'Deposited', ledger.netDeposited, [
    ['available', 'Available', ledger.available],
    ['pendingReserved', 'Reserved, on hold', ledger.pendingReserved],
    ['vestedUnclaimed', 'Claimable, not claimed yet', ledger.vestedUnclaimed],
    ['rewardsClaimed', 'Claimed', ledger.rewardsClaimed],
    ['surplusWithdrawn', 'Withdrawn by the merchant', ledger.surplusWithdrawn],
  ]);
}

/**
 * All payments of buyers are with the contract, with the merchant, or back with the buyers. Attested sales
 * were paid elsewhere and touch no proceeds: there the total is zero.
 */
export function salesIdentity(
  ledger: ProceedsLedger,
  sums: CampaignSums,
  trustMode: string,
): Identity {
  const total = trustMode === 'NATIVE_ONCHAIN' ? sums.value.recorded : '0';
  return identityOf('sales', 'Paid by buyers', total, [
    ['proceedsPending', 'Pending, on hold', ledger.proceedsPending],
    ['proceedsClaimable', 'Claimable by the merchant', ledger.proceedsClaimable],
    ['proceedsClaimed', 'Claimed by the merchant', ledger.proceedsClaimed],
    ['buyerRefunded', 'Refunded to buyers', ledger.buyerRefunded],
  ]);
}

/** The levels of all sales, added up, are what the vault says it holds for them. */
export function levelIdentities(ledger: RewardLedger, { rewards }: CampaignSums): Identity[] {
  return [
    identityOf('reserved', 'Reserved in the vault', ledger.pendingReserved, [
      ['atRisk', 'Levels on hold', rewards.atRisk],
      ['readyToFinalize', 'Levels ready to finalize', rewards.readyToFinalize],
    ]),
    identityOf('unclaimed', 'Claimable in the vault', ledger.vestedUnclaimed, [
      ['claimable', 'Claimable by accounts', rewards.claimable],
    ]),
    identityOf('claimed', 'Paid by the vault', ledger.rewardsClaimed, [
      ['claimed', 'Claimed by accounts', rewards.claimed],
    ]),
  ];
}

/** Every identity that can be checked from `campaigns.get` and `campaigns.stats` of one block. */
export function identitiesOf(
  campaign: {
    readonly rewardLedger: RewardLedger;
    readonly proceedsLedger: ProceedsLedger;
    readonly trustMode: string;
  },
  sums: CampaignSums,
): Identity[] {
  return [
    rewardIdentity(campaign.rewardLedger),
    salesIdentity(campaign.proceedsLedger, sums, campaign.trustMode),
    ...levelIdentities(campaign.rewardLedger, sums),
  ];
}

function identityOf(
  name: Identity['name'],
  label: string,
  total: string,
  parts: readonly (readonly [name: string, label: string, amount: string])[],
): Identity {
  const read = parts.map(([part, text, amount]) => ({
    name: part,
    label: text,
    amount: BigInt(amount),
  }));
  const added = sum(read.map(({ amount }) => amount));
  const difference = added - BigInt(total);
  return { name, label, total: BigInt(total), parts: read, sum: added, difference };
}
