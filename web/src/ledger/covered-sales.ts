import { coveredSales as covered } from '../../../engine/core/budget.ts';
import { countOf } from '../format.ts';

/** Price and rewards vault of a campaign; amounts in base units. */
export interface Budget {
  /** Price of its own SKU. */
  readonly price: string;
  readonly rewardLedger: {
    readonly available: string;
    readonly pendingReserved: string;
    readonly vestedUnclaimed: string;
    readonly rewardsClaimed: string;
  };
}

/** Fields of a policy that decide the reward of a sale; amounts in base units. */
interface RewardTerms {
  readonly commissionBps: number;
  readonly perSaleCap: string;
  readonly campaignLiabilityCap: string;
}

/**
 * Number of sales at the campaign's price whose rewards the vault still pays in full by a policy.
 * @returns `null` if there is no limit, because the reward of a sale rounds to nothing.
 */
export function coveredSales({ price, rewardLedger }: Budget, terms: RewardTerms): bigint | null {
  return covered(
    BigInt(price),
    {
      commissionBps: terms.commissionBps,
      perSaleCap: BigInt(terms.perSaleCap),
      campaignLiabilityCap: BigInt(terms.campaignLiabilityCap),
    },
    {
      available: BigInt(rewardLedger.available),
      pendingReserved: BigInt(rewardLedger.pendingReserved),
      vestedUnclaimed: BigInt(rewardLedger.vestedUnclaimed),
      rewardsClaimed: BigInt(rewardLedger.rewardsClaimed),
    },
  );
}

/** Words for a number of covered sales, which is `null` without a limit: `4 more sales`. */
export function coveredText(sales: bigint | string | null): string {
  return sales === null ? 'any number of sales' : countOf(BigInt(sales), 'more sale');
}
