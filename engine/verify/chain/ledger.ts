import type { CampaignLedger } from '../../core/campaign.ts';
import type { ChainLog } from './decode.ts';

/**
 * A campaign's ledgers as far as each event by itself says what it moves, base units. Finalizing
 * moves proceeds from pending to claimable by an amount that its event does not name, so those two
 * are one here.
 */
export interface Ledger extends Omit<CampaignLedger, 'proceedsPending' | 'proceedsClaimable'> {
  readonly proceedsHeld: bigint;
}

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

/** What `campaignLedger` returns, in that form. */
export function ledgerOf(view: CampaignLedger): Ledger {
  const { proceedsPending, proceedsClaimable, ...rest } = view;
  return { ...rest, proceedsHeld: proceedsPending + proceedsClaimable };
}

/**
 * A ledger after logs of its campaign, all of them and in order (design §3, Ledgers).
 * @param native Whether the campaign's sales are paid to the contract.
 */
export function ledgerAfter(before: Ledger, logs: readonly ChainLog[], native: boolean): Ledger {
  const ledger: { -readonly [K in keyof Ledger]: bigint } = { ...before };
  for (const log of logs) {
    for (const [field, amount] of Object.entries(movedBy(log, native))) {
      ledger[field as keyof Ledger] += amount;
    }
  }
  return ledger;
}

/** The fields in which two ledgers differ. */
export function unequalFields(a: Ledger, b: Ledger): string[] {
  return Object.keys(emptyLedger).filter((key) => {
    const field = key as keyof Ledger;
    return a[field] !== b[field];
  });
}

function movedBy(log: ChainLog, native: boolean): Partial<Ledger> {
  switch (log.name) {
    case 'CampaignFunded':
      return { netDeposited: log.args.amount, available: log.args.amount };
    case 'SurplusWithdrawn':
      return { available: -log.args.amount, surplusWithdrawn: log.args.amount };
    case 'SaleRecorded': {
      const reserved = log.args.shares.reduce((total, share) => total + share, 0n);
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
