import type { Address, Hex } from '../../../../engine/core/events.ts';
import type { BundleTrust } from '../../../../engine/verify/bundle/index.ts';

/** The text that a reader entered. */
export interface TrustText {
  /** Hashes of blocks, with anything between them. */
  readonly hashes: string;
  readonly contract: string;
}

/** The parsed input, with a message for each invalid field. */
export interface ReadTrust {
  readonly trust: BundleTrust;
  readonly problems: { readonly hashes?: string; readonly contract?: string };
}

/** Hashes that are taken, at most: a bundle proves receipts of 256 blocks at most. */
const MAX_HASHES = 256;

/** Reads what a reader knows; a field that is empty says nothing. */
export function readTrust({ hashes, contract }: TrustText): ReadTrust {
  const words = hashes.split(/[\s,;]+/).filter((word) => word !== '');
  const wrong = words.find((word) => !isHash(word));
  const address = contract.trim();
  const problems = {
    ...(wrong !== undefined && {
      hashes: `“${wrong.slice(0, 80)}” is no block hash: give 0x and 64 hexadecimal digits.`,
    }),
    ...(words.length > MAX_HASHES && {
      hashes: `These are ${words.length} hashes; ${MAX_HASHES} are enough for any bundle.`,
    }),
    ...(address !== '' &&
      !isAddress(address) && { contract: 'Give 0x and 40 hexadecimal digits.' }),
  };
  const blockHashes = words.filter(isHash).slice(0, MAX_HASHES).map(lower);
  return {
    trust: { blockHashes, ...(isAddress(address) && { contractAddress: lower(address) }) },
    problems,
  };
}

function isHash(text: string): text is Hex {
  return /^0x[0-9a-fA-F]{64}$/.test(text);
}

function isAddress(text: string): text is Address {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

function lower(hex: Hex): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
