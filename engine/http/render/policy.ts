import type { NextPolicy, RewardPolicy } from '../../contract/shapes/common.ts';
import type { Policy } from '../../core/campaign.ts';
import { isoTime } from './time.ts';

/** Terms of a policy version, without the fields that only the ledger has. */
export function policyTerms(policy: Policy): Omit<RewardPolicy, 'registrationTx' | 'salesCount'> {
  return {
    version: policy.version,
    effectiveAt: isoTime(policy.effectiveAt),
    rewardToken: policy.rewardToken,
    commissionBps: policy.commissionBps,
    perSaleCap: policy.perSaleCap.toString(),
    campaignLiabilityCap: policy.campaignLiabilityCap.toString(),
    maxRewardedAncestors: policy.maxRewardedAncestors,
    weightsBps: [...policy.weightsBps],
    shortPathMode: policy.shortPathMode,
    holdSeconds: policy.holdSeconds,
    expiry: isoTime(policy.expiry),
    excludesSelfReferral: policy.excludesSelfReferral,
    regions: [...policy.regions],
    sharingRules: [...policy.sharingRules],
    eligibilityHash: policy.eligibilityHash,
    policyHash: policy.policyHash,
  };
}

/** Next scheduled version of a policy; `null` without one. */
export function nextPolicy(policy: Policy | undefined): NextPolicy | null {
  if (policy === undefined) return null;
  const { version, effectiveAt, commissionBps, maxRewardedAncestors, holdSeconds } = policy;
  const { excludesSelfReferral } = policy;
  const terms = { commissionBps, maxRewardedAncestors, holdSeconds, excludesSelfReferral };
  return { version, effectiveAt: isoTime(effectiveAt), ...terms };
}
