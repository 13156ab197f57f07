import type { Client } from '../../../../engine/client/index.ts';
import {
  type CapStep,
  capSteps,
  type MissedShare,
  missedShares,
  type Split,
  type SplitInput,
  splitReward,
  wholeWeight,
} from '../../../../engine/core/split.ts';
import type { DataOf } from '../../api.ts';

export type Receipt = DataOf<Client['receipts']['get']>;

/** The split of a receipt as this browser computes it, step by step; amounts in base units. */
export interface Arithmetic {
  readonly input: SplitInput;
  readonly split: Split;
  readonly caps: readonly CapStep[];
  /** W of the rule: what the weights of the levels are measured against. */
  readonly whole: bigint;
  /** Remainder of the rounding that level 1 received; 0 if it stays in the vault. */
  readonly remainder: bigint;
  readonly missed: readonly MissedShare[];
  /** Where the service says otherwise. */
  readonly differences: readonly AmountDifference[];
}

export interface AmountDifference {
  /** Name of the amount: `the reward of level 2`. */
  readonly name: string;
  readonly computed: string;
  readonly served: string;
}

/**
 * Computes a receipt's split again, by the rule of the contract (docs/how-it-works/settlement.md), from what the
 * receipt says of sale, policy, path and ledger.
 * @throws Error where a figure is none: a receipt may come from anybody.
 */
export function recompute(receipt: Receipt): Arithmetic {
  const input = inputOf(receipt);
  const split = splitReward(input);
  const whole = wholeWeight(input.policy, split.shares.length);
  const paid = split.shares.map((_share, i) => {
    return (split.pool * BigInt(input.policy.weightsBps[i] ?? 0)) / (whole || 1n);
  });
  const missed = missedShares(input);
  return {
    input,
    split,
    caps: split.shares.length === 0 ? [] : capSteps(input, split.gross),
    whole,
    remainder: (split.shares[0]?.amount ?? 0n) - (paid[0] ?? 0n),
    missed,
    differences: [...splitDifferences(receipt, split), ...missedDifferences(receipt, missed)],
  };
}

function inputOf({ amount, split, path, policy }: Receipt): SplitInput {
  return {
    amount: BigInt(amount),
    liability: BigInt(split.liabilityBefore),
    available: BigInt(split.availableBefore),
    path: path.map(({ nodeId }) => nodeId),
    policy: {
      commissionBps: policy.commissionBps,
      perSaleCap: BigInt(policy.perSaleCap),
      campaignLiabilityCap: BigInt(policy.campaignLiabilityCap),
      maxRewardedAncestors: policy.maxRewardedAncestors,
      weightsBps: policy.weightsBps,
      shortPathMode: policy.shortPathMode,
    },
  };
}

function splitDifferences({ split: served, path }: Receipt, split: Split): AmountDifference[] {
  const totals = (['gross', 'pool', 'reserved', 'returned'] as const).map((name) =>
    differs(AMOUNT_NAMES[name], split[name].toString(), served[name]),
  );
  const levels = Math.max(split.shares.length, served.shares.length, 0);
  const shares = Array.from({ length: levels }, (_none, i) => {
    const [own, other] = [split.shares[i], served.shares[i]];
    return [
      differs(`the reward of level ${i + 1}`, own?.amount.toString(), other?.amount),
      differs(`the node of level ${i + 1}`, own?.nodeId, other?.nodeId),
      differs(`the recipient of level ${i + 1}`, path[i]?.owner, other?.recipient),
    ];
  });
  return [...totals, ...shares.flat()].flatMap((difference) => difference ?? []);
}

const AMOUNT_NAMES = {
  gross: 'the reward before any cap',
  pool: 'the reward after the caps',
  reserved: 'what the levels get together',
  returned: 'what stays in the vault',
} as const;

function missedDifferences(
  { missed: served }: Receipt,
  missed: readonly MissedShare[],
): AmountDifference[] {
  const servedMissed = served.filter(({ reason }) => reason !== 'DEPTH');
  const keys = new Set([...missed, ...servedMissed].map(missedKey));
  return [...keys].flatMap((key) => {
    const own = missed.find((one) => missedKey(one) === key);
    const other = servedMissed.find((one) => missedKey(one) === key);
    const name = `what level ${key.replace(' ', ' missed by ')}`;
    return differs(name, own?.amount.toString(), other?.amount ?? undefined) ?? [];
  });
}

function missedKey({ level, reason }: { readonly level: number; readonly reason: string }): string {
  return `${level} ${reason}`;
}

function differs(
  name: string,
  computed: string | undefined,
  served: string | undefined,
): AmountDifference | undefined {
  if (computed?.toLowerCase() === served?.toLowerCase()) return undefined;
  return { name, computed: computed ?? 'nothing', served: served ?? 'nothing' };
}
