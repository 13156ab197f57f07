import { countOf } from '../../../core/count-of.ts';
import type { Hex } from '../../../core/events.ts';
import { conclude } from '../../conclude.ts';
import type { BundleHeaders } from '../headers.ts';
import type { BundleBlock } from '../types.ts';

/** Largest number of blocks that a message names; the evidence has all of them. */
const NAMED = 3;

/** Checks that the headers are sound, and that the reader vouches for each block that has proofs. */
export function checkBlocks(
  { byNumber, blocks, problems }: BundleHeaders,
  trusted: readonly Hex[],
) {
  const open = blocks.filter(({ vouched }) => vouched === 'open');
  const linked = blocks.filter(({ vouched }) => vouched === 'linked').length;
  const hashes = new Set([...byNumber.values()].map(({ hash }) => hash));
  const strange = trusted.filter((hash) => !hashes.has(lower(hash)));
  const missing =
    open.length === 0
      ? []
      : [
          `The conclusion rests on ${countOf(open.length, 'block')} more that you have not vouched for: ${named(open)}.`,
          ...strange.slice(0, NAMED).map((hash) => `${hash} is no block of this bundle.`),
        ];
  return conclude('blocks', {
    pass: `You vouch for ${countOf(blocks.length, 'block')}, ${linked} of them by parent hashes; every header hashes to its block.`,
    problems,
    missing,
    evidence: { blocks: blocks.map((block) => ({ ...block })), notInBundle: strange },
  });
}

function named(blocks: readonly BundleBlock[]): string {
  const sentences = blocks.slice(0, NAMED).map(({ number, hash }) => `${number} (${hash})`);
  const more = blocks.length - NAMED;
  return sentences.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function lower(hash: Hex): Hex {
  return `0x${hash.slice(2).toLowerCase()}`;
}
