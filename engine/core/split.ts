import { max, min, sum } from './amounts.ts';

/** Use of the weights of levels that a short path does not have (docs/reference/protocol.md#sales-and-their-split). */
export type ShortPathMode = 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED';

/** Basis points of the whole: 10,000. */
export const BPS_WHOLE = 10_000n;

/** The part of a reward policy that decides how a sale is split. */
export interface SplitPolicy {
  /** Share of the sale that is paid as reward, in basis points (1..10000). */
  readonly commissionBps: number;
  /** Largest reward of one sale, base units. */
  readonly perSaleCap: bigint;
  /** Largest total that the campaign may ever owe, base units. */
  readonly campaignLiabilityCap: bigint;
  /** Number of levels of a path that are rewarded (1..5). */
  readonly maxRewardedAncestors: number;
  /** Weight of each level, level 1 first, in basis points; sums to 10000. */
  readonly weightsBps: readonly number[];
  readonly shortPathMode: ShortPathMode;
}

/** Everything that decides the split of a sale. */
export interface SplitInput {
  /** Amount that the contract received for the sale, base units. */
  readonly amount: bigint;
  /** pendingReserved + vestedUnclaimed + rewardsClaimed before this sale, base units. */
  readonly liability: bigint;
  /** Unreserved part of the rewards vault before this sale, base units. */
  readonly available: bigint;
  /** Node ids, the selling node first. Empty for a sale without a link. */
  readonly path: readonly string[];
  readonly policy: SplitPolicy;
}

/** Reward of one level of a sale; level 1 is the selling node. */
export interface Share {
  readonly level: number;
  readonly nodeId: string;
  /** Base units. */
  readonly amount: bigint;
}

/** The split of a sale into rewards. */
export interface Split {
  /** Reward before any cap, base units. */
  readonly gross: bigint;
  /** Reward after the caps, base units. */
  readonly pool: bigint;
  /** Sum of the shares, base units. */
  readonly reserved: bigint;
  /** pool − reserved: the part that stays in the vault, base units. */
  readonly returned: bigint;
  readonly shares: readonly Share[];
}

/** The cap because of which a level got less than its weight of the sale; in the order they apply. */
export type CapReason = 'SALE_CAP' | 'LIABILITY_CAP' | 'BUDGET';

/** Reward that a level of a sale did not get because of one cap. */
export interface MissedShare {
  readonly level: number;
  readonly nodeId: string;
  readonly reason: CapReason;
  /** Amount that this cap alone cost the level, base units, above zero. */
  readonly amount: bigint;
}

/** A level's remaining share after refunds: floor(share × (amount − refundedTotal) / amount), base units. */
export function shareAfterRefund(share: bigint, amount: bigint, refundedTotal: bigint): bigint {
  return amount === 0n ? 0n : (share * (amount - refundedTotal)) / amount;
}

/**
 * Splits one sale between the levels of its path.
 *
 * The rule is in docs/reference/protocol.md#sales-and-their-split. The contract's `quoteSale` computes the same
 * numbers, to the unit, for every input; a test runs both.
 *
 * @example
 * splitReward({ amount: 1_000n, liability: 0n, available: 500n, path: ['7', '3'], policy })
 */
export function splitReward(input: SplitInput): Split {
  const { path, policy } = input;
  const gross = (input.amount * BigInt(policy.commissionBps)) / BPS_WHOLE;
  const levels = Math.min(path.length, policy.maxRewardedAncestors);
  if (levels === 0) return { gross, pool: 0n, reserved: 0n, returned: 0n, shares: [] };

  const pool = capSteps(input, gross).at(-1)?.after ?? gross;
  const whole = wholeWeight(policy, levels);
  const amounts = policy.weightsBps.slice(0, levels).map((w) => (pool * BigInt(w)) / whole);
  if (policy.shortPathMode === 'RENORMALIZE_EXISTING') {
    // The rest that rounding leaves goes to the selling node, so that the whole pool is paid.
    amounts[0] = (amounts[0] ?? 0n) + pool - sum(amounts);
  }
  const reserved = sum(amounts);
  const shares = amounts.map((amount, i) => ({ level: i + 1, nodeId: path[i] ?? '', amount }));
  return { gross, pool, reserved, returned: pool - reserved, shares };
}

/**
 * The rewards that each cap cost each level of the path, to answer "why did I get less?". A cap that
 * reduced the pool from `before` to `after` cost a level floor(before × w / W) − floor(after × w / W).
 * Levels that lost nothing are omitted.
 */
export function missedShares(input: SplitInput): MissedShare[] {
  const { path, policy } = input;
  const levels = Math.min(path.length, policy.maxRewardedAncestors);
  if (levels === 0) return [];
  const gross = (input.amount * BigInt(policy.commissionBps)) / BPS_WHOLE;
  const whole = wholeWeight(policy, levels);
  const reductions = capSteps(input, gross).filter(({ before, after }) => before !== after);
  return reductions.flatMap(({ reason, before, after }) =>
    policy.weightsBps.slice(0, levels).flatMap((weight, i) => {
      const w = BigInt(weight);
      const amount = (before * w) / whole - (after * w) / whole;
      return amount === 0n ? [] : [{ level: i + 1, nodeId: path[i] ?? '', reason, amount }];
    }),
  );
}

/** Effect of one cap on the pool, base units. */
export interface CapStep {
  readonly reason: CapReason;
  /** Largest pool that it lets through. */
  readonly cap: bigint;
  readonly before: bigint;
  readonly after: bigint;
}

/** The effects of the caps on the pool, in the order in which they apply. */
export function capSteps({ liability, available, policy }: SplitInput, gross: bigint): CapStep[] {
  const liabilityLeft = max(0n, policy.campaignLiabilityCap - liability);
  const caps: [CapReason, bigint][] = [
    ['SALE_CAP', policy.perSaleCap],
    ['LIABILITY_CAP', liabilityLeft],
    // A discrepancy can make `available` negative, but a vault cannot pay less than nothing.
    ['BUDGET', max(0n, available)],
  ];
  let before = gross;
  return caps.map(([reason, cap]) => {
    const after = min(before, cap);
    const step = { reason, cap, before, after };
    before = after;
    return step;
  });
}

/** Divisor of the levels' weights, basis points: W in docs/reference/protocol.md#sales-and-their-split. */
export function wholeWeight(policy: SplitPolicy, levels: number): bigint {
  if (policy.shortPathMode === 'RETURN_UNUSED') return BPS_WHOLE;
  return sum(policy.weightsBps.slice(0, levels).map(BigInt));
}
