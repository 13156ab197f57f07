import { openKeccak } from '../../../chain/keccak.ts';
import type { Keccak256 } from '../../../core/digest.ts';
import { digestRoot } from '../../../core/merkle.ts';
import { isMixed, type Snapshot } from '../../../db/read/snapshot.ts';
import { type DigestAt, digestsAt } from '../../../db/read/system/digests.ts';
import { notReady } from '../../errors.ts';
import { ConcurrencyLimit } from '../../limits/concurrency-limit.ts';

/** Limit on concurrent digests: each reads a row of every campaign. */
export const digestConcurrency = new ConcurrencyLimit(4, 'digests');

/** Hash of the digests, opened at its first use: it holds nothing but its own memory. */
let hash: Promise<Keccak256> | undefined;

/** The digests of all campaigns at a block, with the root over them. */
export interface RootAt {
  /** Digest of each campaign under the root, by campaign id. */
  readonly digests: readonly DigestAt[];
  /** The fields of the response that describe the root. */
  readonly under: {
    readonly root: `0x${string}`;
    /** Stopped campaigns, which are not under the root. */
    readonly leftOut: string[];
    readonly campaigns: number;
  };
  readonly keccak256: Keccak256;
}

/**
 * Computes the root over all campaigns at a block, except the stopped ones.
 * @param block at or below the settled block.
 * @throws {HttpError} NOT_READY during a reorg: a root over two forks would be the root of no chain.
 */
export async function rootAt({ sql, head }: Snapshot, block: number): Promise<RootAt> {
  hash ??= openKeccak();
  const keccak256 = await hash;
  if (isMixed(head, block)) throw notReady('block', 'The chain is replacing blocks: try again.');
  const leftOut = head.stopped.map((one) => one.campaignId);
  const stopped = new Set(leftOut);
  const digests = (await digestsAt(sql, block)).filter((one) => !stopped.has(one.campaignId));
  const root = digestRoot(keccak256, digests);
  return { digests, under: { root, leftOut, campaigns: digests.length }, keccak256 };
}
