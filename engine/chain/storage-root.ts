import type { PublicClient } from 'viem';
import type { Hex } from '../core/events.ts';
import { isLimited, isUnanswered } from './errors.ts';

/** Milliseconds without another request after an RPC refused two: not every RPC has `eth_getProof`. */
const PAUSE_MS = 600_000;

/** Roots that are remembered: that of the last block is the first one of the next range. */
const MAX_KNOWN = 4;

/** Asks the RPCs of a chain (`agree`). @param what the subject of the request. */
type Agreed = <T>(what: string, ask: (client: PublicClient) => Promise<T>) => Promise<T>;

/**
 * Reads the root of the contract's storage as of a block: if it is the same as of two blocks, nothing was sold, paid or
 * changed in between. The block is named by its hash, so that an RPC that does not have it cannot answer for another.
 * @returns `null` if the RPC refuses, or RPCs disagree: then it is not known.
 * @throws if the RPC does not answer, or limits requests, but never twice in a row: some do so for this method alone.
 */
export function storageRootReader(
  agreed: Agreed,
  contractAddress: Hex,
  clock: () => number = () => performance.now(),
): (blockHash: Hex) => Promise<Hex | null> {
  const known = new Map<Hex, Hex>();
  let pausedUntil = Number.NEGATIVE_INFINITY;
  let hasFailed = false;
  return async (blockHash) => {
    const before = known.get(blockHash);
    if (before !== undefined) return before;
    if (clock() < pausedUntil) return null;
    try {
      const root = await agreed(`the contract's storage in ${blockHash}`, (client) =>
        storageRoot(client, contractAddress, blockHash),
      );
      known.set(blockHash, root);
      const [oldest] = known.keys();
      if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
      hasFailed = false;
      return root;
    } catch (error) {
      const mayEnd = isUnanswered(error) || isLimited(error);
      if (mayEnd && !hasFailed) {
        hasFailed = true;
        throw error;
      }
      hasFailed = false;
      pausedUntil = clock() + PAUSE_MS;
      return null;
    }
  };
}

/** @throws if the answer is no proof of an account. */
async function storageRoot(client: PublicClient, address: Hex, blockHash: Hex): Promise<Hex> {
  const request = { method: 'eth_getProof', params: [address, [], { blockHash }] };
  // viem's type of this method has numbers and tags of blocks only (EIP-1898 has hashes).
  const proof = Object(await client.request(request as never));
  if (typeof proof.storageHash !== 'string') throw new Error('the RPC returned no storage root');
  return proof.storageHash;
}
