/** The pure split over a table of path lengths and caps: `studio.simulate`. */
import { z } from 'zod';
import { Amount, ShortPathMode, Weight } from '../values.ts';
import { ChainAmountInput, PositiveAmountInput, SplitPolicyInput } from './policy-input.ts';

/** Longest path, and rows of one situation, that a simulation takes. */
const PATH_LENGTH_MOST = 20;

export const SimulationInput = z.strictObject({
  policy: SplitPolicyInput,
  amount: PositiveAmountInput.describe('Of the sale, base units.'),
  liability: ChainAmountInput.describe(
    'What the campaign owes or has paid before the sale, base units; default 0.',
  ).optional(),
  available: ChainAmountInput.describe(
    'What the rewards vault has free before the sale, base units; default more than any sale needs.',
  ).optional(),
  pathLengths: z
    .array(z.int().min(0).max(PATH_LENGTH_MOST))
    .min(1)
    .max(PATH_LENGTH_MOST + 1)
    .refine((lengths) => new Set(lengths).size === lengths.length, 'must not repeat a length')
    .describe(
      'Nodes from the selling node to its root, 0 for a direct sale; default 0 to maxRewardedAncestors + 1.',
    )
    .optional(),
});

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
    'pool × weightBps mod weightWhole: what the floor cut off, in parts of weightWhole.',
  ),
  rounding: Amount.describe(
    'What rounding left, added to level 1 where nothing is returned; base units.',
  ),
  amount: Amount.describe('The share: floor + rounding, base units.'),
  missed: z
    .array(
      z.strictObject({
        reason: CapReason,
        amount: Amount.describe('What that cap alone cost the level, base units.'),
      }),
    )
    .describe('Empty where no cap took anything.'),
});

const SimulatedRow = z.strictObject({
  pathLength: z.int().min(0),
  rewardedLevels: z.int().min(0).max(5),
  unrewardedNodes: z
    .int()
    .min(0)
    .describe('Nodes of the path beyond the levels: the reason DEPTH.'),
  pool: Amount.describe('After the caps, base units; 0 without a path.'),
  weightWhole: z
    .int()
    .min(0)
    .describe('What the weights are measured against, basis points; 0 without a path.'),
  reserved: Amount.describe('Sum of the shares, base units.'),
  returned: Amount.describe('pool − reserved: stays in the vault, base units.'),
  rounding: Amount.describe('Base units that the floors of the levels left over, all together.'),
  roundingTo: z
    .enum(['LEVEL_1', 'VAULT'])
    .describe('Who has them: level 1, or the vault where the mode is RETURN_UNUSED.'),
  levels: z.array(SimulatedLevel),
});

const Situation = z.strictObject({
  situation: z
    .enum(['AS_GIVEN', 'NO_CAP', 'SALE_CAP', 'LIABILITY_CAP', 'BUDGET'])
    .describe('All caps with the figures given, none of them, or that one alone.'),
  caps: z
    .array(
      z.strictObject({
        reason: CapReason,
        cap: Amount.describe('Most that it lets through, base units.'),
        before: Amount.describe('The pool before it, base units.'),
        after: Amount.describe('The pool after it, base units.'),
      }),
    )
    .describe('The caps that apply, in their order, for a path of one node or more.'),
  rows: z.array(SimulatedRow).describe('One for each path length, in the order asked for.'),
});

export const Simulation = z.strictObject({
  policy: z
    .strictObject({
      commissionBps: z.int(),
      perSaleCap: Amount,
      campaignLiabilityCap: Amount,
      maxRewardedAncestors: z.int(),
      weightsBps: z.array(Weight),
      shortPathMode: ShortPathMode,
    })
    .describe('As simulated, defaults filled in.'),
  amount: Amount,
  liability: Amount,
  available: Amount.nullable().describe('null where none was given: the vault limits nothing.'),
  gross: Amount.describe('floor(amount × commissionBps / 10000), before any cap; base units.'),
  situations: z.array(Situation),
});

export type Simulation = z.infer<typeof Simulation>;
