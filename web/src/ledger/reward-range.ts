import { splitReward } from '../../../engine/core/split.ts';

/** Fields of a policy that decide who earns what; amounts in base units. */
export interface SharedTerms {
  readonly commissionBps: number;
  readonly perSaleCap: string;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: readonly number[];
  readonly shortPathMode: 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED';
}

/** Least and most that a link earns from a sale that comes through it, base units. */
export interface RewardRange {
  readonly least: bigint;
  readonly most: bigint;
}

/**
 * Reward of a link for one sale at a price, by how many links are above it, while the budget lasts. Links above share
 * the reward, so that a link of its own branch earns most.
 */
export function rewardRange(price: string, terms: SharedTerms): RewardRange {
  const cap = BigInt(terms.perSaleCap);
  const amount = BigInt(price);
  const policy = { ...terms, perSaleCap: cap, campaignLiabilityCap: amount };
  const rewards = Array.from({ length: terms.maxRewardedAncestors }, (_, above) => {
    const path = Array.from({ length: above + 1 }, (_one, i) => String(i));
    const { shares } = splitReward({ amount, liability: 0n, available: amount, path, policy });
    return shares[0]?.amount ?? 0n;
  });
  const sorted = rewards.toSorted((a, b) => (a < b ? -1 : 1));
  return { least: sorted[0] ?? 0n, most: sorted.at(-1) ?? 0n };
}
