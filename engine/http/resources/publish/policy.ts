import { type ContractFunctionArgs, stringToHex } from 'viem';
import type { z } from 'zod';
import type { referralCommerceAbi } from '../../../../abis/index.ts';
import { type CompletePolicy, NO_CAP } from '../../../contract/shapes/policy-input.ts';
import { type Address, shortPathModes } from '../../../core/events.ts';
import { hashPolicy, type PolicyHashes } from '../../../verify/policy-hash.ts';
import { secondsOf } from './issues.ts';

/** A policy as the contract takes it, with the hashes that it registers. */
export interface PolicyPlan extends PolicyHashes {
  readonly policy: ContractFunctionArgs<
    typeof referralCommerceAbi,
    'nonpayable',
    'schedulePolicy'
  >[1];
}

/** Plan of a policy whose rewards are paid in that token. Omitted caps are 2^256 − 1. */
export function planPolicy(
  input: z.infer<typeof CompletePolicy>,
  rewardToken: Address,
): PolicyPlan {
  const policy = {
    rewardToken,
    commissionBps: input.commissionBps,
    perSaleCap: BigInt(input.perSaleCap ?? NO_CAP),
    campaignLiabilityCap: BigInt(input.campaignLiabilityCap ?? NO_CAP),
    maxRewardedAncestors: input.maxRewardedAncestors,
    weightsBps: input.weightsBps,
    shortPathMode: shortPathModes.indexOf(input.shortPathMode ?? 'RENORMALIZE_EXISTING'),
    holdSeconds: input.holdSeconds,
    expiry: BigInt(secondsOf(input.expiry)),
    excludesSelfReferral: input.excludesSelfReferral ?? false,
    regions: input.regions ?? [],
    sharingRules: input.sharingRules ?? [],
  };
  const bytes = (list: readonly string[]) => list.map((text) => stringToHex(text));
  const { regions, sharingRules } = policy;
  const hashes = hashPolicy({
    ...policy,
    regions: bytes(regions),
    sharingRules: bytes(sharingRules),
  });
  return { policy, ...hashes };
}
