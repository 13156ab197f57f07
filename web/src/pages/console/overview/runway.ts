import { coveredSales } from '../../../ledger/covered-sales.ts';

/** Fields of a campaign's summary that say how long its budget lasts; amounts in base units. */
interface Budget {
  readonly price: string;
  /** Unreserved part of the vault. */
  readonly rewardAvailable: string;
  /** All deposits. */
  readonly rewardTotal: string;
  readonly policy: Parameters<typeof coveredSales>[1];
}

/** Sales of a campaign in the past, which say how many are to come. */
interface Pace {
  readonly sales: number;
  readonly days: number;
}

/**
 * Days until the vault of a live campaign pays the reward of a sale no longer in full, if it sells as before.
 * @returns whole days, rounded down; `undefined` if nothing was sold, or the budget has no limit.
 */
export function daysLeft({ price, rewardAvailable, rewardTotal, policy }: Budget, pace: Pace) {
  // What is not available is reserved, owed or paid: a live campaign has withdrawn nothing.
  const liability = String(BigInt(rewardTotal) - BigInt(rewardAvailable));
  const ledger = { available: rewardAvailable, pendingReserved: liability };
  const covered = coveredSales(
    { price, rewardLedger: { ...ledger, vestedUnclaimed: '0', rewardsClaimed: '0' } },
    policy,
  );
  if (covered === null || pace.sales === 0) return undefined;
  return Number((covered * BigInt(pace.days)) / BigInt(pace.sales));
}
