import { sum } from './amounts.ts';
import {
  BPS_WHOLE,
  type CapReason,
  type CapStep,
  capSteps,
  missedShares,
  type SplitInput,
  type SplitPolicy,
  splitReward,
  wholeWeight,
} from './split.ts';

/** A sale to split by a policy without recording it; amounts in base units. */
export interface SimulationInput {
  readonly policy: SplitPolicy;
  readonly amount: bigint;
  readonly liability: bigint;
  /** `null` if the vault is to limit nothing. */
  readonly available: bigint | null;
  /** Path lengths to try: nodes from the selling node to its root; 0 is a sale without a link. */
  readonly pathLengths: readonly number[];
}

/** The caps that a situation applies: all with the values given, none, or only the one named. */
export type SituationName = 'AS_GIVEN' | 'NO_CAP' | CapReason;

/** One level of a simulated split, with its rounding. */
export interface SimulatedLevel {
  readonly level: number;
  readonly weightBps: number;
  /** floor(pool × weightBps / weightWhole), base units. */
  readonly floor: bigint;
  /** pool × weightBps mod weightWhole. */
  readonly remainder: bigint;
  /** Base units left over by rounding that this level gets. */
  readonly rounding: bigint;
  /** The share, base units. */
  readonly amount: bigint;
  readonly missed: readonly { readonly reason: CapReason; readonly amount: bigint }[];
}

/** The split of a simulated sale for one path length. */
export interface SimulatedRow {
  readonly pathLength: number;
  readonly rewardedLevels: number;
  /** Nodes of the path beyond the rewarded levels. */
  readonly unrewardedNodes: number;
  readonly pool: bigint;
  /** Divisor of the weights, basis points; 0 without a path. */
  readonly weightWhole: bigint;
  readonly reserved: bigint;
  readonly returned: bigint;
  /** Base units left over by the floors of all levels. */
  readonly rounding: bigint;
  readonly roundingTo: 'LEVEL_1' | 'VAULT';
  readonly levels: readonly SimulatedLevel[];
}

/** The splits of a simulated sale with one set of caps, a row for each path length. */
export interface Situation {
  readonly situation: SituationName;
  /** The caps that apply, in their order. */
  readonly caps: readonly CapStep[];
  readonly rows: readonly SimulatedRow[];
}

/** The result of `simulateSplit`. */
export interface Simulation {
  /** Before any cap, base units. */
  readonly gross: bigint;
  readonly situations: readonly Situation[];
}

const situationNames = ['AS_GIVEN', 'NO_CAP', 'SALE_CAP', 'LIABILITY_CAP', 'BUDGET'] as const;

/**
 * Splits one sale for each path length and set of caps, with the rounding shown. All numbers come
 * from `splitReward` and `missedShares`, so they equal what the contract would compute.
 */
export function simulateSplit(input: SimulationInput): Simulation {
  const gross = (input.amount * BigInt(input.policy.commissionBps)) / BPS_WHOLE;
  const situations = situationNames.map((situation) => {
    const only = onlyCaps(input, situation, gross);
    const applies = ({ reason }: CapStep) =>
      situation === reason ||
      (situation === 'AS_GIVEN' && (reason !== 'BUDGET' || input.available !== null));
    return {
      situation,
      caps: capSteps({ ...only, path: [] }, gross).filter(applies),
      rows: input.pathLengths.map((length) => simulatedRow({ ...only, path: pathOf(length) })),
    };
  });
  return { gross, situations };
}

/** The input with the caps that a situation ignores set so high that they let `gross` through. */
function onlyCaps(
  { policy, amount, liability, available }: SimulationInput,
  situation: SituationName,
  gross: bigint,
): Omit<SplitInput, 'path'> {
  const has = (cap: CapReason) => situation === 'AS_GIVEN' || situation === cap;
  return {
    amount,
    liability: has('LIABILITY_CAP') ? liability : 0n,
    available: has('BUDGET') ? (available ?? gross) : gross,
    policy: {
      ...policy,
      perSaleCap: has('SALE_CAP') ? policy.perSaleCap : gross,
      campaignLiabilityCap: has('LIABILITY_CAP') ? policy.campaignLiabilityCap : gross,
    },
  };
}

function simulatedRow(input: SplitInput): SimulatedRow {
  const { path, policy } = input;
  const { pool, reserved, returned, shares } = splitReward(input);
  const missed = missedShares(input);
  const whole = shares.length === 0 ? 0n : wholeWeight(policy, shares.length);
  const levels = shares.map(({ level, amount }) => {
    const weightBps = policy.weightsBps[level - 1] ?? 0;
    const exact = pool * BigInt(weightBps);
    const floor = exact / whole;
    return {
      level,
      weightBps,
      floor,
      remainder: exact % whole,
      rounding: amount - floor,
      amount,
      missed: missed
        .filter((one) => one.level === level)
        .map(({ reason, amount: cost }) => ({ reason, amount: cost })),
    };
  });
  const remainders = sum(levels.map(({ remainder }) => remainder));
  return {
    pathLength: path.length,
    rewardedLevels: levels.length,
    unrewardedNodes: path.length - levels.length,
    pool,
    weightWhole: whole,
    reserved,
    returned,
    rounding: whole === 0n ? 0n : remainders / whole,
    roundingTo: policy.shortPathMode === 'RETURN_UNUSED' ? 'VAULT' : 'LEVEL_1',
    levels,
  };
}

/** A path of as many nodes; only its length matters. */
function pathOf(length: number): string[] {
  return Array.from({ length }, (_, i) => String(i + 1));
}
