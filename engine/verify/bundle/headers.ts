import type { Hex } from '../../core/events.ts';
import { isoTime } from '../receipt-fields.ts';
import { type Header, readHeader } from './header.ts';
import type { ParsedBundle } from './parse.ts';
import type { BundleBlock } from './types.ts';

/** The headers of a bundle, and their problems. */
export interface BundleHeaders {
  /** Headers by block number, as decimal digits. */
  readonly byNumber: ReadonlyMap<string, Header>;
  /** The blocks with proofs, and who vouches for them. */
  readonly blocks: readonly BundleBlock[];
  /** Problems of the headers, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Reads the headers, and finds out for each block with proofs if the reader vouches for it: by its
 * hash, or by the hash of a later block that leads to it through parent hashes.
 */
export function readHeaders(
  { headers: encoded, proofs }: Pick<ParsedBundle, 'headers' | 'proofs'>,
  blockHashes: readonly Hex[],
): BundleHeaders {
  const headers: Header[] = [];
  for (const [i, rlp] of encoded.entries()) {
    const header = readHeader(rlp);
    if (header === undefined) return failed(`headers[${i}] is no block header.`);
    const last = headers.at(-1);
    if (last !== undefined && header.number <= last.number) {
      return failed(`headers[${i}] is of block ${header.number}; the numbers must rise.`);
    }
    headers.push(header);
  }
  const byNumber = new Map(headers.map((header) => [header.number.toString(), header]));
  const proven = new Set(proofs.map(({ blockNumber }) => blockNumber));
  return {
    byNumber,
    blocks: vouch(headers, blockHashes).filter(({ number }) => proven.has(number)),
    problems: [
      ...linkProblems(headers),
      ...proofProblems(byNumber, proofs),
      ...idle(headers, proven),
    ],
  };
}

function failed(problem: string): BundleHeaders {
  return { byNumber: new Map(), blocks: [], problems: [problem] };
}

/** A header vouches for its parent, and for nothing after it. */
function vouch(headers: readonly Header[], blockHashes: readonly Hex[]): BundleBlock[] {
  const trusted = new Set(blockHashes.map((hash) => hash.toLowerCase()));
  const blocks: BundleBlock[] = [];
  for (const [i, header] of [...headers.entries()].reverse()) {
    const child = headers[i + 1];
    const later = blocks.at(-1);
    const isLinked = child !== undefined && isParent(header, child) && later?.vouched !== 'open';
    const vouched = trusted.has(header.hash) ? 'given' : isLinked ? 'linked' : 'open';
    const { number, hash, timestamp } = header;
    blocks.push({ number: number.toString(), hash, timestamp: isoTime(timestamp), vouched });
  }
  return blocks.reverse();
}

function isParent(header: Header, child: Header): boolean {
  return header.number + 1n === child.number && header.hash === child.parentHash;
}

/** Neighbours by number must be parent and child. */
function linkProblems(headers: readonly Header[]): string[] {
  return headers.flatMap((header, i) => {
    const child = headers[i + 1];
    if (child === undefined || header.number + 1n !== child.number) return [];
    if (header.hash === child.parentHash) return [];
    return [`Block ${child.number} names parent ${child.parentHash}, not ${header.hash}.`];
  });
}

function proofProblems(
  byNumber: BundleHeaders['byNumber'],
  proofs: ParsedBundle['proofs'],
): string[] {
  return proofs.flatMap(({ blockNumber }, i) => {
    const before = proofs[i - 1]?.blockNumber;
    if (before !== undefined && BigInt(before) >= BigInt(blockNumber)) {
      return [`proofs[${i}] is of block ${blockNumber}; the numbers must rise.`];
    }
    return byNumber.has(blockNumber) ? [] : [`The header of block ${blockNumber} is missing.`];
  });
}

/** A header without proofs is only allowed if it links the two around it. */
function idle(headers: readonly Header[], proven: ReadonlySet<string>): string[] {
  return headers.flatMap((header, i) => {
    const [before, after] = [headers[i - 1], headers[i + 1]];
    if (proven.has(header.number.toString())) return [];
    const links =
      before !== undefined &&
      after !== undefined &&
      isParent(before, header) &&
      isParent(header, after);
    return links ? [] : [`The header of block ${header.number} links no two blocks.`];
  });
}
