import { decodeAbiParameters, encodeAbiParameters, keccak256 } from 'viem';
import type { Hex } from '../core/events.ts';

/** The two hashes of a policy (docs/reference/protocol.md#policy). */
export interface PolicyHashes {
  readonly eligibilityHash: Hex;
  readonly policyHash: Hex;
}

const lists = [{ type: 'bytes[]' }, { type: 'bytes[]' }] as const;

/** Data of PolicyScheduled; lists of text are read as bytes, which have the same encoding. */
const scheduled = [
  { name: 'version', type: 'uint32' },
  { name: 'effectiveAt', type: 'uint64' },
  {
    name: 'policy',
    type: 'tuple',
    components: [
      { name: 'rewardToken', type: 'address' },
      { name: 'commissionBps', type: 'uint16' },
      { name: 'perSaleCap', type: 'uint256' },
      { name: 'campaignLiabilityCap', type: 'uint256' },
      { name: 'maxRewardedAncestors', type: 'uint8' },
      { name: 'weightsBps', type: 'uint16[]' },
      { name: 'shortPathMode', type: 'uint8' },
      { name: 'holdSeconds', type: 'uint32' },
      { name: 'expiry', type: 'uint64' },
      { name: 'excludesSelfReferral', type: 'bool' },
      { name: 'regions', type: 'bytes[]' },
      { name: 'sharingRules', type: 'bytes[]' },
    ],
  },
  { name: 'eligibilityHash', type: 'bytes32' },
  { name: 'policyHash', type: 'bytes32' },
] as const;

/** Arguments of `policyHash`: eleven flat ones, the last one the eligibilityHash. */
const flat = [
  { type: 'address' },
  { type: 'uint16' },
  { type: 'uint256' },
  { type: 'uint256' },
  { type: 'uint8' },
  { type: 'uint16[]' },
  { type: 'uint8' },
  { type: 'uint32' },
  { type: 'uint64' },
  { type: 'bool' },
  { type: 'bytes32' },
] as const;

/** A policy as the chain encodes it; entries of its lists are the bytes of their text. */
interface EncodedPolicy {
  readonly rewardToken: Hex;
  readonly commissionBps: number;
  readonly perSaleCap: bigint;
  readonly campaignLiabilityCap: bigint;
  readonly maxRewardedAncestors: number;
  readonly weightsBps: readonly number[];
  readonly shortPathMode: number;
  readonly holdSeconds: number;
  readonly expiry: bigint;
  readonly excludesSelfReferral: boolean;
  readonly regions: readonly Hex[];
  readonly sharingRules: readonly Hex[];
}

/**
 * Computes the hashes of the policy in the data of a PolicyScheduled log. It hashes the bytes, not the
 * decoded text: text that is not UTF-8 would have another hash.
 */
export function policyHashesOf(data: Hex): PolicyHashes {
  const [, , policy] = decodeAbiParameters(scheduled, data);
  return hashPolicy(policy);
}

/** Computes the hashes that the contract registers for a policy (docs/reference/protocol.md#policy). */
export function hashPolicy(policy: EncodedPolicy): PolicyHashes {
  const eligibilityHash = keccak256(
    encodeAbiParameters(lists, [policy.regions, policy.sharingRules]),
  );
  const policyHash = keccak256(
    encodeAbiParameters(flat, [
      policy.rewardToken,
      policy.commissionBps,
      policy.perSaleCap,
      policy.campaignLiabilityCap,
      policy.maxRewardedAncestors,
      policy.weightsBps,
      policy.shortPathMode,
      policy.holdSeconds,
      policy.expiry,
      policy.excludesSelfReferral,
      eligibilityHash,
    ]),
  );
  return { eligibilityHash, policyHash };
}
