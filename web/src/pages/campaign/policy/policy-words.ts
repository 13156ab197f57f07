import { duration, exactMoney, percent, type Unit } from '../../../format.ts';

/** Fields of a policy that are described in sentences; amounts in base units. */
export interface PolicyText {
  readonly commissionBps: number;
  readonly perSaleCap: string;
  readonly campaignLiabilityCap: string;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: readonly number[];
  readonly shortPathMode: 'RENORMALIZE_EXISTING' | 'RETURN_UNUSED';
  readonly holdSeconds: number;
  readonly excludesSelfReferral: boolean;
}

/** A cap that caps nothing (design: no cap means 2^256 − 1). */
const NO_CAP = (2n ** 256n - 1n).toString();

/** A cap as an amount; `null` without a cap. */
export const capOf = (cap: string): string | null => (cap === NO_CAP ? null : cap);

/** The policy in sentences, each of which makes sense alone. */
export function policyWords(policy: PolicyText, token: Unit): string[] {
  return [
    commission(policy),
    ...caps(policy, token),
    shortPath(policy),
    `A reward is on hold for ${duration(policy.holdSeconds)} after the sale. A refund in that time takes it back.`,
    selfReferralWords(policy),
  ];
}

/** Whether a buyer can earn from its own purchase, in a sentence. */
function selfReferralWords({
  excludesSelfReferral,
}: Pick<PolicyText, 'excludesSelfReferral'>): string {
  return excludesSelfReferral
    ? 'An account cannot buy through a link if the purchase would reward a link of its own.'
    : 'A buyer may own links that the purchase rewards.';
}

function commission({ commissionBps, maxRewardedAncestors, weightsBps }: PolicyText): string {
  const whole = `${percent(commissionBps)} of what the buyer pays`;
  if (maxRewardedAncestors === 1) return `The link that sells gets ${whole}.`;
  const parts = weightsBps.map(percent);
  const last = parts.pop();
  return `${whole} goes to the link that sells and up to ${maxRewardedAncestors - 1} above it: ${parts.join(', ')} and ${last} of that, nearest first.`;
}

function caps({ perSaleCap, campaignLiabilityCap }: PolicyText, token: Unit): string[] {
  const amountOf = (cap: string) => exactMoney(cap, token);
  const [sale, campaign] = [capOf(perSaleCap), capOf(campaignLiabilityCap)];
  if (sale === null && campaign === null) return ['Only the vault’s budget limits a reward.'];
  return [
    ...(sale === null ? [] : [`A sale pays at most ${amountOf(sale)} of rewards.`]),
    ...(campaign === null
      ? []
      : [`The campaign pays at most ${amountOf(campaign)} of rewards in all.`]),
  ];
}

function shortPath({ shortPathMode, maxRewardedAncestors }: PolicyText): string {
  if (maxRewardedAncestors === 1) return 'No other level is rewarded.';
  return shortPathMode === 'RENORMALIZE_EXISTING'
    ? 'If fewer links are above the seller, the existing levels share the full reward.'
    : 'If fewer links are above the seller, the share of the missing ones stays in the vault.';
}
