import { sum } from '../../core/amounts.ts';
import type { CampaignLedger } from '../../core/campaign.ts';
import type { DecodedLog } from './decode.ts';

/**
 * A campaign's ledgers, base units, as far as single events name the amounts that they move. SaleFinalized
 * does not name the proceeds that become claimable, so pending and claimable proceeds are one field here.
 */
export interface Ledger extends Omit<CampaignLedger, 'proceedsPending' | 'proceedsClaimable'> {
  readonly proceedsHeld: bigint;
}

/** The ledgers of a campaign before its first event. */
export const emptyLedger: Ledger = {
  netDeposited: 0n,
  available: 0n,
  pendingReserved: 0n,
  vestedUnclaimed: 0n,
  rewardsClaimed: 0n,
  surplusWithdrawn: 0n,
  proceedsHeld: 0n,
  proceedsClaimed: 0n,
  buyerRefunded: 0n,
  creditOutstanding: 0n,
};

/** Converts the result of the contract's `campaignLedger`. */
export function ledgerOf(view: CampaignLedger): Ledger {
  const { proceedsPending, proceedsClaimable, ...rest } = view;
  return { ...rest, proceedsHeld: proceedsPending + proceedsClaimable };
}

/**
 * The ledger after all logs of a campaign, in order (docs/reference/protocol.md#amounts-that-add-up).
 * @param native true if the campaign's sales are paid to the contract.
 */
export function ledgerAfter(before: Ledger, logs: readonly DecodedLog[], native: boolean): Ledger {
  const ledger: { -readonly [K in keyof Ledger]: bigint } = { ...before };
  for (const log of logs) {
    for (const [field, amount] of Object.entries(movedBy(log, native))) {
      ledger[field as keyof Ledger] += amount;
    }
  }
  return ledger;
}

/** Names of the fields in which two ledgers differ. */
export function unequalFields(a: Ledger, b: Ledger): string[] {
  return Object.keys(emptyLedger).filter((key) => {
    const field = key as keyof Ledger;
    return a[field] !== b[field];
  });
}

function movedBy(log: DecodedLog, native: boolean): Partial<Ledger> {
  switch (log.name) {
    case 'CampaignFunded':
      return { netDeposited: log.args.amount, available: log.args.amount };
    case 'SurplusWithdrawn':
      return { available: -log.args.amount, surplusWithdrawn: log.args.amount };
    case 'SaleRecorded': {
      const reserved = sum(log.args.shares);
      const paid = native ? log.args.amount : 0n;
      return { available: -reserved, pendingReserved: reserved, proceedsHeld: paid };
    }
    case 'RewardReleased':
      return { pendingReserved: -log.args.amount, available: log.args.amount };
    case 'SaleRefunded': {
      const paid = native ? log.args.amount : 0n;
      return { proceedsHeld: -paid, buyerRefunded: paid };
    }
    case 'RewardVested':
      return { pendingReserved: -log.args.amount, vestedUnclaimed: log.args.amount };
    case 'RewardReversed':
      return { vestedUnclaimed: -log.args.amount, available: log.args.amount };
    case 'RewardsClaimed':
      return { vestedUnclaimed: -log.args.amount, rewardsClaimed: log.args.amount };
    case 'ProceedsClaimed':
      return { proceedsHeld: -log.args.amount, proceedsClaimed: log.args.amount };
    case 'PaymentCredited':
      return { creditOutstanding: log.args.amount };
    case 'CreditWithdrawn':
      return { creditOutstanding: -log.args.amount };
    default:
      return {};
  }
}
