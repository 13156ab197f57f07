// The split of a sale for a table of path lengths and caps: `studio.simulate`.
import { z } from 'zod';
import { nameSchemas } from '../names.ts';
import { Amount, ShortPathMode, Weight } from '../values.ts';
import { ChainAmountInput, PositiveAmountInput, SplitPolicyInput } from './policy-input.ts';

/** Longest path of a simulation, nodes. */
const MAX_PATH_LENGTH = 20;

/** Input of `studio.simulate`. */
export const SimulationInput = z.strictObject({
  policy: SplitPolicyInput,
  amount: PositiveAmountInput.describe('Amount of the sale, base units.'),
  liability: ChainAmountInput.describe(
    'Rewards that the campaign owes or has paid before the sale, base units; default 0.',
  ).optional(),
  available: ChainAmountInput.describe(
    'Unreserved part of the rewards vault before the sale, base units; default more than any sale needs.',
  ).optional(),
  pathLengths: z
    .array(z.int().min(0).max(MAX_PATH_LENGTH))
    .min(1)
    .max(MAX_PATH_LENGTH + 1)
    .refine((lengths) => new Set(lengths).size === lengths.length, 'must not repeat a length')
    .describe(
      'Nodes from the selling node to its root, 0 for a sale without a link; default 0 to maxRewardedAncestors + 1.',
    )
    .optional(),
});

/** A cap of the split. */
export const CapReason = z
  .enum(['SALE_CAP', 'LIABILITY_CAP', 'BUDGET'])
  .describe(
    'perSaleCap, campaignLiabilityCap − liability, or available; they apply in that order.',
  );

const SimulatedLevel = z.strictObject({
  level: z.int().min(1).describe('1 is the selling node.'),
  weightBps: Weight,
  floor: Amount.describe('floor(pool × weightBps / weightWhole), base units.'),
  remainder: Amount.describe(
    'pool × weightBps mod weightWhole: the part that the floor cut off, in units of 1 / weightWhole.',
  ),
  rounding: Amount.describe(
    'Rest of the rounding, for level 1 if nothing is returned; base units.',
  ),
  amount: Amount.describe('The share: floor + rounding, base units.'),
  missed: z
    .array(
      z.strictObject({
        reason: CapReason,
        amount: Amount.describe('Amount that this cap alone cost the level, base units.'),
      }),
    )
    .describe('Empty if no cap reduced the reward.'),
});

const SimulatedRow = z.strictObject({
  pathLength: z.int().min(0),
  rewardedLevels: z.int().min(0).max(5),
  unrewardedNodes: z
    .int()
    .min(0)
    .describe('Nodes of the path beyond the levels: the reason DEPTH.'),
  pool: Amount.describe('After the caps, base units; 0 without a path.'),
  weightWhole: z.int().min(0).describe('Divisor of the weights, basis points; 0 without a path.'),
  reserved: Amount.describe('Sum of the shares, base units.'),
  returned: Amount.describe('pool − reserved: stays in the vault, base units.'),
  rounding: Amount.describe('Base units left over by the floors of all levels.'),
  roundingTo: z
    .enum(['LEVEL_1', 'VAULT'])
    .describe('Recipient of these units: level 1, or the vault if the mode is RETURN_UNUSED.'),
  levels: z.array(SimulatedLevel),
});

const Situation = z.strictObject({
  situation: z
    .enum(['AS_GIVEN', 'NO_CAP', 'SALE_CAP', 'LIABILITY_CAP', 'BUDGET'])
    .describe('The caps that apply: all with the values given, none, or only this one.'),
  caps: z
    .array(
      z.strictObject({
        reason: CapReason,
        cap: Amount.describe('Largest pool that it allows, base units.'),
        before: Amount.describe('The pool before it, base units.'),
        after: Amount.describe('The pool after it, base units.'),
      }),
    )
    .describe('The caps that apply, in their order, for a path of one node or more.'),
  rows: z.array(SimulatedRow).describe('One for each path length, in the requested order.'),
});

/** Result of `studio.simulate`. */
export const SimulationResult = z.strictObject({
  policy: z
    .strictObject({
      commissionBps: z.int(),
      perSaleCap: Amount,
      campaignLiabilityCap: Amount,
      maxRewardedAncestors: z.int(),
      weightsBps: z.array(Weight),
      shortPathMode: ShortPathMode,
    })
    .describe('The simulated policy, with defaults.'),
  amount: Amount,
  liability: Amount,
  available: Amount.nullable().describe('null if it was omitted: the vault limits nothing.'),
  gross: Amount.describe('floor(amount × commissionBps / 10000), before any cap; base units.'),
  situations: z.array(Situation),
});

nameSchemas({
  SimulationInput,
  CapReason,
  SimulatedLevel,
  SimulatedRow,
  SimulatedSituation: Situation,
  SimulationResult,
});

export type SimulationResult = z.infer<typeof SimulationResult>;
