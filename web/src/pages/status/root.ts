import { keccak256 } from 'viem';
import { type DigestLeaf, digestRoot } from '../../../../engine/core/merkle.ts';

/** The Merkle root over the digests of campaigns (docs/reference/digest.md). */
export function rootOf(campaigns: readonly DigestLeaf[]): `0x${string}` {
  return digestRoot((bytes) => keccak256(bytes, 'bytes'), campaigns);
}
