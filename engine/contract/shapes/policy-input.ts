// A reward policy as a merchant writes it, with the limits of the contract (docs/reference/protocol.md#policy).
import { z } from 'zod';
import { MAX_CHAIN_AMOUNT } from '../../core/amounts.ts';
import { nameSchemas } from '../names.ts';
import {
  Address,
  AmountInput,
  Id,
  ShortPathMode,
  Timestamp,
  textInput,
  Weight,
} from '../values.ts';

/** Value of a cap that limits nothing: the largest uint256. */
export const NO_CAP = (1n << 256n) - 1n;
const BPS_WHOLE = 10_000;

/** True for a text that has another fault than its size, which its form reports. */
const isNoNumber = (text: string) => !/^[0-9]{1,78}$/.test(text);

/** An integer that an argument of the contract can hold. */
export const Uint256Input = AmountInput.refine(
  (digits) => isNoNumber(digits) || BigInt(digits) <= NO_CAP,
  'must be at most 2^256 − 1',
);

/** An amount that the contract can hold. */
export const ChainAmountInput = AmountInput.refine(
  (amount) => isNoNumber(amount) || BigInt(amount) <= MAX_CHAIN_AMOUNT,
  'must be at most 2^128 − 1',
);

/** An amount above zero that the contract can hold. */
export const PositiveAmountInput = ChainAmountInput.refine(
  (amount) => amount !== '0',
  'must be above 0',
);

/** A cap of rewards: the contract stores 2^128 − 1 for no cap, so a cap is below it. */
const CapInput = AmountInput.refine((amount) => amount !== '0', 'must be above 0').refine(
  (cap) => isNoNumber(cap) || BigInt(cap) < MAX_CHAIN_AMOUNT || BigInt(cap) === NO_CAP,
  'must be at most 2^128 − 2, or 2^256 − 1 for no cap',
);

const splitFields = {
  commissionBps: z.int().min(1).max(BPS_WHOLE).describe('Reward of a sale, basis points.'),
  perSaleCap: CapInput.describe(
    'Largest reward of one sale, base units; default no cap, which is 2^256 − 1.',
  ).optional(),
  campaignLiabilityCap: CapInput.describe(
    'Largest total that the campaign may ever owe, base units; default no cap, which is 2^256 − 1.',
  ).optional(),
  maxRewardedAncestors: z.int().min(1).max(5).describe('Rewarded levels of a path.'),
  weightsBps: z
    .array(Weight)
    .min(1)
    .max(5)
    .describe(
      'Weight of each level, level 1 first, basis points; maxRewardedAncestors entries with a sum of 10000.',
    ),
  shortPathMode: ShortPathMode.describe(
    'What happens to the weights of levels that a short path does not have; default RENORMALIZE_EXISTING.',
  ).optional(),
};

interface Weights {
  readonly maxRewardedAncestors?: number | undefined;
  readonly weightsBps?: readonly number[] | undefined;
}

/** The violated rule between fields, reported for `weightsBps`; `null` if there is none. */
export function checkWeights({ maxRewardedAncestors: levels, weightsBps }: Weights): string | null {
  if (levels === undefined || weightsBps === undefined) return null;
  if (weightsBps.length !== levels) {
    return `must have one weight for each of the ${levels} levels of maxRewardedAncestors, not ${weightsBps.length}`;
  }
  const sum = weightsBps.reduce((total, weight) => total + weight, 0);
  return sum === BPS_WHOLE ? null : `must add up to ${BPS_WHOLE}, not ${sum}`;
}

function refuseWeights(policy: Weights, context: z.RefinementCtx): void {
  const message = checkWeights(policy);
  if (message !== null) context.addIssue({ code: 'custom', path: ['weightsBps'], message });
}

/** The part of a policy that decides how a sale is split. */
export const SplitPolicyInput = z.strictObject(splitFields).superRefine(refuseWeights);

/** A list of texts that the contract stores as bytes. */
function listInput(description: string) {
  const entry = textInput(64).refine(
    (text) => new TextEncoder().encode(text).length <= 64,
    'must have at most 64 bytes',
  );
  return z.array(entry).max(32).describe(`${description} 32 at most, of 64 bytes each.`).optional();
}

const policyFields = {
  ...splitFields,
  rewardToken: Address.describe('The campaign’s token.').optional(),
  holdSeconds: z.int().min(60).max(7_776_000).describe('Seconds that a reward is held.'),
  expiry: Timestamp.describe('No sale at or after it.'),
  excludesSelfReferral: z
    .boolean()
    .describe('Whether it refuses sales to the owner of a node that they reward; default false.')
    .optional(),
  regions: listInput('Regions that the campaign is for, as the merchant names them; default none.'),
  sharingRules: listInput('Rules for distributors; default none.'),
};

/** A policy that can be registered on the chain. */
export const CompletePolicy = z.strictObject(policyFields).superRefine(refuseWeights);

/** An unfinished policy: any field may be missing. */
export const PolicyDraft = z.strictObject(policyFields).partial();

/** A policy to start from; its expiry belongs to a campaign. */
const TemplatePolicy = z.strictObject(policyFields).omit({ expiry: true, rewardToken: true });

/** A policy template to store. */
export const PolicyTemplateInput = z.strictObject({
  id: Id.describe('Id of the template to replace; without it a new one is created.').optional(),
  name: textInput(100).min(1).describe('1 to 100 characters.'),
  policy: TemplatePolicy.superRefine(refuseWeights),
});

/** A policy template. */
export const PolicyTemplate = z.strictObject({
  id: Id,
  name: z.string(),
  builtIn: z.boolean().describe('Comes with the service, and cannot be replaced.'),
  policy: TemplatePolicy,
  updatedAt: Timestamp.nullable().describe('null if it is built in.'),
});

nameSchemas({
  Uint256Input,
  ChainAmountInput,
  PositiveAmountInput,
  SplitPolicyInput,
  CompletePolicy,
  PolicyDraft,
  TemplatePolicy,
  PolicyTemplateInput,
  PolicyTemplate,
});
