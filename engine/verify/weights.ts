import type { SplitPolicy } from '../core/split.ts';

/**
 * True if each rewarded level has a weight above 0. The contract allows no other policy (docs/reference/protocol.md#policy);
 * from what another contract emits, a split cannot always be computed.
 */
export function isWeighted({
  weightsBps,
  maxRewardedAncestors,
}: Pick<SplitPolicy, 'weightsBps' | 'maxRewardedAncestors'>): boolean {
  return weightsBps.length === maxRewardedAncestors && weightsBps.every((weight) => weight > 0);
}
