import type { Client } from '../../../../../engine/client/index.ts';
import {
  amountText,
  checkedValue,
  durationText,
  type Parsed,
  percentText,
  readAmount,
  readCount,
  readList,
  readPercent,
  readPositive,
} from '../../../read-input.ts';

export type PolicyBody = Parameters<Client['operations']['schedulePolicy']>[0]['policy'];
/** A policy without its expiry: what templates store. */
export type PolicyTerms = Omit<PolicyBody, 'expiry' | 'rewardToken'>;

/** A policy as the texts of its form. */
export interface PolicyValues {
  /** Per cent of a sale. */
  rate: string;
  /** Per cent of the reward for each level, level 1 first; as many as there are levels. */
  weights: { weight: string }[];
  shortPathMode: 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED';
  /** Whole tokens; empty for none. */
  perSaleCap: string;
  campaignLiabilityCap: string;
  holdCount: string;
  /** Seconds of the unit that the hold is counted in. */
  holdUnit: string;
  excludesSelfReferral: boolean;
  /** Separated by commas. */
  regions: string;
  /** One on each line. */
  sharingRules: string;
}

/** A policy that may lack parts, as drafts have it. */
type PolicyParts = { readonly [F in keyof PolicyBody]?: PolicyBody[F] | undefined };

/** Value of a cap that limits nothing. */
const NO_CAP = ((1n << 256n) - 1n).toString();
const MIN_HOLD_SECONDS = 60;
const MAX_HOLD_SECONDS = 7_776_000;

/** Values that the form proposes for a campaign without a policy; the API excludes nothing by default. */
export const proposedPolicy: PolicyParts = { excludesSelfReferral: true };

/** The texts of the form for a policy, which may lack parts. */
export function policyValues(policy: PolicyParts, decimals: number): PolicyValues {
  const capText = (cap: string | undefined) =>
    cap === undefined || cap === NO_CAP ? '' : amountText(cap, decimals);
  const hold = durationText(policy.holdSeconds ?? 14 * 86_400);
  return {
    rate: policy.commissionBps === undefined ? '10' : percentText(policy.commissionBps),
    weights: (policy.weightsBps ?? [10_000]).map((bps) => ({ weight: percentText(bps) })),
    shortPathMode: policy.shortPathMode ?? 'RENORMALIZE_EXISTING',
    perSaleCap: capText(policy.perSaleCap),
    campaignLiabilityCap: capText(policy.campaignLiabilityCap),
    holdCount: hold.count,
    holdUnit: hold.unit,
    excludesSelfReferral: policy.excludesSelfReferral ?? false,
    regions: (policy.regions ?? []).join(', '),
    sharingRules: (policy.sharingRules ?? []).join('\n'),
  };
}

/** The policy of a form whose fields were checked. @throws {Error} if one is invalid. */
export function policyTerms(values: PolicyValues, decimals: number): PolicyTerms {
  const capOf = (text: string) =>
    text.trim() === '' ? undefined : checkedValue(readPositive(text, decimals)).toString();
  const perSaleCap = capOf(values.perSaleCap);
  const campaignLiabilityCap = capOf(values.campaignLiabilityCap);
  return {
    commissionBps: checkedValue(readPercent(values.rate)),
    maxRewardedAncestors: values.weights.length,
    weightsBps: values.weights.map(({ weight }) => checkedValue(readPercent(weight))),
    shortPathMode: values.shortPathMode,
    ...(perSaleCap === undefined ? {} : { perSaleCap }),
    ...(campaignLiabilityCap === undefined ? {} : { campaignLiabilityCap }),
    holdSeconds: checkedValue(readHold(values.holdCount, values.holdUnit)),
    excludesSelfReferral: values.excludesSelfReferral,
    regions: readList(values.regions, /,/),
    sharingRules: readList(values.sharingRules, /\n/),
  };
}

/** `policyTerms`; `undefined` while a field is invalid or the weights do not add up. */
export function validTerms(values: PolicyValues, decimals: number): PolicyTerms | undefined {
  try {
    const terms = policyTerms(values, decimals);
    return weightsRest(values) === 0n ? terms : undefined;
  } catch {
    return undefined;
  }
}

/** A policy with its caps and defaults written out, as a policy on the chain has them. */
export function completeTerms(terms: PolicyTerms) {
  const { perSaleCap = NO_CAP, campaignLiabilityCap = NO_CAP } = terms;
  const { shortPathMode = 'RENORMALIZE_EXISTING', excludesSelfReferral = false } = terms;
  return { ...terms, perSaleCap, campaignLiabilityCap, shortPathMode, excludesSelfReferral };
}

/** Basis points that the weights lack to the whole; negative if they are too many. */
export function weightsRest({ weights }: Pick<PolicyValues, 'weights'>): bigint {
  return weights.reduce((rest, { weight }) => rest - (readAmount(weight, 2).value ?? 0n), 10_000n);
}

/** A hold in seconds, within the limits of the contract. */
export function readHold(count: string, unit: string): Parsed<number> {
  const parsed = readCount(count);
  if (parsed.value === undefined) return parsed;
  const seconds = parsed.value * Number(unit);
  if (seconds < MIN_HOLD_SECONDS) return { issue: 'At least 1 minute.' };
  if (seconds > MAX_HOLD_SECONDS) return { issue: 'At most 90 days.' };
  return { value: seconds };
}

/** Weights for a number of levels, each about half of the one before; they add up to 100 %. */
export function defaultWeights(levels: number): { weight: string }[] {
  const shares: Readonly<Record<number, readonly number[]>> = {
    1: [100],
    2: [70, 30],
    3: [60, 25, 15],
    4: [50, 25, 15, 10],
    5: [40, 25, 15, 10, 10],
  };
  return (shares[levels] ?? [100]).map((share) => ({ weight: String(share) }));
}

/** The field of the form for a path within a policy. */
export function policyField(path: string): string {
  const names: Readonly<Record<string, string>> = {
    commissionBps: 'rate',
    maxRewardedAncestors: 'weights.0.weight',
    weightsBps: 'weights.0.weight',
    holdSeconds: 'holdCount',
  };
  const name = path.replace(/^policy\./, '');
  const weight = /^weightsBps\.(\d+)$/.exec(name)?.[1];
  if (weight !== undefined) return `weights.${weight}.weight`;
  return names[name] ?? name.replace(/^(regions|sharingRules)\.\d+$/, '$1');
}
