/** What happens to the weights of levels that a short path does not have (design §4). */
export type ShortPathMode = 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED';

/** 10,000 basis points are the whole. */
export const BPS_WHOLE = 10_000n;

/** The part of a reward policy that decides how a sale is split. */
export interface SplitPolicy {
  /** Share of the sale that is paid as reward, in basis points (1..10000). */
  readonly commissionBps: number;
  /** Most that one sale may reserve, base units. */
  readonly perSaleCap: bigint;
  /** Most that the campaign may ever owe, base units. */
  readonly campaignLiabilityCap: bigint;
  /** How many levels of a path are paid (1..5). */
  readonly maxRewardedAncestors: number;
  /** Weight of each level, level 1 first, in basis points; sums to 10000. */
  readonly weightsBps: readonly number[];
  readonly shortPathMode: ShortPathMode;
}

export interface SplitInput {
  /** What the contract received for the sale, base units. */
  readonly amount: bigint;
  /** pendingReserved + vestedUnclaimed + rewardsClaimed before this sale, base units. */
  readonly liability: bigint;
  /** Rewards vault that nobody has a claim on yet, base units. */
  readonly available: bigint;
  /** Node ids, the selling node first. Empty for a direct sale. */
  readonly path: readonly string[];
  readonly policy: SplitPolicy;
}

/** One level's part of a sale; level 1 is the selling node. */
export interface Share {
  readonly level: number;
  readonly nodeId: string;
  /** Base units. */
  readonly amount: bigint;
}

export interface Split {
  /** Reward before any cap, base units. */
  readonly gross: bigint;
  /** Reward after the caps, base units. */
  readonly pool: bigint;
  /** Sum of the shares, base units. */
  readonly reserved: bigint;
  /** pool − reserved: what stays in the vault, base units. */
  readonly returned: bigint;
  readonly shares: readonly Share[];
}

/** Why a level got less than the policy's weight of the sale; in the order the caps apply. */
export type CapReason = 'SALE_CAP' | 'LIABILITY_CAP' | 'BUDGET';

export interface MissedShare {
  readonly level: number;
  readonly nodeId: string;
  readonly reason: CapReason;
  /** What this cap alone cost the level, base units, above zero. */
  readonly amount: bigint;
}

/** floor(share × left / amount): what a level keeps of its share when `left` of the sale is left. */
export function shareAfterRefund(share: bigint, amount: bigint, refundedTotal: bigint): bigint {
  return amount === 0n ? 0n : (share * (amount - refundedTotal)) / amount;
}

/**
 * Splits one sale between the levels of its path.
 *
 * The contract's `quoteSale` computes the same numbers, to the unit, for every input; a test runs
 * both. Source: design §4, `docs/settlement.md`.
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
    // What rounding left goes to the selling node, so that the whole pool is paid.
    amounts[0] = (amounts[0] ?? 0n) + pool - sum(amounts);
  }
  const reserved = sum(amounts);
  const shares = amounts.map((amount, i) => ({ level: i + 1, nodeId: path[i] ?? '', amount }));
  return { gross, pool, reserved, returned: pool - reserved, shares };
}

/**
 * What each cap cost each level of the path, so that "why did I get less" has an answer.
 * A cap that took the pool from `before` to `after` cost a level
 * floor(before × w / W) − floor(after × w / W). Levels that lost nothing are left out.
 * Source: design §4.
 */
export function missedShares(input: SplitInput): MissedShare[] {
  const { path, policy } = input;
  const levels = Math.min(path.length, policy.maxRewardedAncestors);
  if (levels === 0) return [];
  const gross = (input.amount * BigInt(policy.commissionBps)) / BPS_WHOLE;
  const whole = wholeWeight(policy, levels);
  const took = capSteps(input, gross).filter(({ before, after }) => before !== after);
  return took.flatMap(({ reason, before, after }) =>
    policy.weightsBps.slice(0, levels).flatMap((weight, i) => {
      const w = BigInt(weight);
      const amount = (before * w) / whole - (after * w) / whole;
      return amount === 0n ? [] : [{ level: i + 1, nodeId: path[i] ?? '', reason, amount }];
    }),
  );
}

/** What one cap did to the pool, base units. */
export interface CapStep {
  readonly reason: CapReason;
  /** Most that it lets through. */
  readonly cap: bigint;
  readonly before: bigint;
  readonly after: bigint;
}

/** The caps in the order in which they apply, and what each let through (design §4). */
export function capSteps({ liability, available, policy }: SplitInput, gross: bigint): CapStep[] {
  const liabilityLeft = max(0n, policy.campaignLiabilityCap - liability);
  const caps: [CapReason, bigint][] = [
    ['SALE_CAP', policy.perSaleCap],
    ['LIABILITY_CAP', liabilityLeft],
    // A vault cannot pay less than nothing, whatever a discrepancy did to it.
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

/** W of design §4: what the weights of the levels are measured against. */
export function wholeWeight(policy: SplitPolicy, levels: number): bigint {
  if (policy.shortPathMode === 'RETURN_UNUSED') return BPS_WHOLE;
  return sum(policy.weightsBps.slice(0, levels).map(BigInt));
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}

function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}
