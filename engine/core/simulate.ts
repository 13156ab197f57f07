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

/** A sale to try on a policy; amounts in base units. */
export interface SimulationInput {
  readonly policy: SplitPolicy;
  readonly amount: bigint;
  readonly liability: bigint;
  /** `null` where the vault limits nothing. */
  readonly available: bigint | null;
  /** Nodes from the selling node to its root; 0 is a direct sale. */
  readonly pathLengths: readonly number[];
}

/** All caps with the figures given, none of them, or one alone. */
export type SituationName = 'AS_GIVEN' | 'NO_CAP' | CapReason;

export interface SimulatedLevel {
  readonly level: number;
  readonly weightBps: number;
  /** floor(pool × weightBps / weightWhole), base units. */
  readonly floor: bigint;
  /** pool × weightBps mod weightWhole. */
  readonly remainder: bigint;
  /** What rounding left, where this level gets it; base units. */
  readonly rounding: bigint;
  /** The share, base units. */
  readonly amount: bigint;
  readonly missed: readonly { readonly reason: CapReason; readonly amount: bigint }[];
}

export interface SimulatedRow {
  readonly pathLength: number;
  readonly rewardedLevels: number;
  /** Nodes of the path that no level is left for. */
  readonly unrewardedNodes: number;
  readonly pool: bigint;
  /** What the weights are measured against, basis points; 0 without a path. */
  readonly weightWhole: bigint;
  readonly reserved: bigint;
  readonly returned: bigint;
  /** Base units that the floors left over, all together. */
  readonly rounding: bigint;
  readonly roundingTo: 'LEVEL_1' | 'VAULT';
  readonly levels: readonly SimulatedLevel[];
}

export interface Situation {
  readonly situation: SituationName;
  /** The caps that apply, in their order. */
  readonly caps: readonly CapStep[];
  readonly rows: readonly SimulatedRow[];
}

export interface Simulation {
  /** Before any cap, base units. */
  readonly gross: bigint;
  readonly situations: readonly Situation[];
}

const situationNames = ['AS_GIVEN', 'NO_CAP', 'SALE_CAP', 'LIABILITY_CAP', 'BUDGET'] as const;

/**
 * The split of one sale over a table of path lengths and cap situations, with its rounding shown.
 * Every figure comes from `splitReward` and `missedShares`, so that it equals what the contract
 * would do. Source: design §4.
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

/** The input with the caps that a situation leaves aside set to what lets `gross` through. */
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
  const cutOff = levels.reduce((total, { remainder }) => total + remainder, 0n);
  return {
    pathLength: path.length,
    rewardedLevels: levels.length,
    unrewardedNodes: path.length - levels.length,
    pool,
    weightWhole: whole,
    reserved,
    returned,
    rounding: whole === 0n ? 0n : cutOff / whole,
    roundingTo: policy.shortPathMode === 'RETURN_UNUSED' ? 'VAULT' : 'LEVEL_1',
    levels,
  };
}

/** Nodes that only count. */
function pathOf(length: number): string[] {
  return Array.from({ length }, (_, i) => String(i + 1));
}
