import { EMPTY_DIGEST, type Keccak256 } from './digest.ts';
import type { Hex } from './events.ts';
import { fromHex, toHex, word } from './hex-bytes.ts';

/** A campaign and its digest at a block: a leaf of the tree that digests form. */
export interface DigestLeaf {
  readonly campaignId: string;
  readonly digest: Hex;
}

/**
 * The Merkle root over campaigns in ascending order of id: leaves keccak-256(0x00 ‖ id ‖ digest),
 * nodes keccak-256(0x01 ‖ left ‖ right); a node without a neighbour is passed up unchanged.
 */
export function digestRoot(keccak256: Keccak256, campaigns: readonly DigestLeaf[]): Hex {
  let level = inOrder(campaigns).map((one) => leafOf(keccak256, one));
  while (level.length > 1) level = levelAbove(keccak256, level);
  return level[0] ?? EMPTY_DIGEST;
}

/** A neighbour on the path from a campaign's leaf up to the root, and which side it is on. */
export interface ProofStep {
  readonly side: 'left' | 'right';
  readonly hash: Hex;
}

/**
 * The neighbours that prove that a campaign's digest is in the root, the leaf's neighbour first.
 * @returns `undefined` if the campaign is not in the list.
 */
export function digestProof(
  keccak256: Keccak256,
  campaigns: readonly DigestLeaf[],
  campaignId: string,
): ProofStep[] | undefined {
  const ordered = inOrder(campaigns);
  let at = ordered.findIndex((one) => one.campaignId === campaignId);
  if (at < 0) return undefined;
  const steps: ProofStep[] = [];
  let level = ordered.map((one) => leafOf(keccak256, one));
  while (level.length > 1) {
    const neighbour = level[at ^ 1];
    if (neighbour !== undefined) {
      steps.push({ side: at % 2 === 0 ? 'right' : 'left', hash: neighbour });
    }
    at >>= 1;
    level = levelAbove(keccak256, level);
  }
  return steps;
}

/**
 * True if a proof shows that a campaign's digest is in a root. It shows so for this campaign and digest
 * only: both are in the leaf, and leaves and nodes begin with different bytes.
 * @internal for tests of proofs.
 */
export function verifyDigestProof(
  keccak256: Keccak256,
  root: Hex,
  campaign: DigestLeaf,
  proof: readonly ProofStep[],
): boolean {
  let hash = leafOf(keccak256, campaign);
  for (const { side, hash: neighbour } of proof) {
    hash =
      side === 'left' ? nodeOf(keccak256, neighbour, hash) : nodeOf(keccak256, hash, neighbour);
  }
  return hash === root;
}

function inOrder(campaigns: readonly DigestLeaf[]): DigestLeaf[] {
  return [...campaigns].sort((a, b) => compareIds(a.campaignId, b.campaignId));
}

function leafOf(keccak256: Keccak256, { campaignId, digest }: DigestLeaf): Hex {
  return toHex(keccak256(fromHex(`0x00${word(BigInt(campaignId))}${digest.slice(2)}`)));
}

function nodeOf(keccak256: Keccak256, left: Hex, right: Hex): Hex {
  return toHex(keccak256(fromHex(`0x01${left.slice(2)}${right.slice(2)}`)));
}

function levelAbove(keccak256: Keccak256, level: readonly Hex[]): Hex[] {
  const above: Hex[] = [];
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] ?? EMPTY_DIGEST;
    const right = level[i + 1];
    above.push(right === undefined ? left : nodeOf(keccak256, left, right));
  }
  return above;
}

/** Compares decimal ids by their number, for `sort`. */
export function compareIds(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
