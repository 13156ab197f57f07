import { createPublicClient, custom, numberToHex, type PublicClient } from 'viem';
import type { Fact, Hex } from '../../../engine/core/events.ts';
import { hash } from '../../support/history.ts';

/** Seconds between two blocks without events, and from the last event before them. */
const BLOCK_SECONDS = 1;

interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly timestamp: number;
}

/** The chain's block of a height: those of events as they say, the others in between. */
export function blockAt(facts: readonly Fact[], number: number): Block {
  const before = facts.findLast(({ blockNumber }) => blockNumber <= number);
  const at = before?.blockNumber ?? 0;
  if (before !== undefined && at === number) {
    return { number, hash: before.blockHash, timestamp: before.timestamp };
  }
  const timestamp = (before?.timestamp ?? 0) + (number - at) * BLOCK_SECONDS;
  return { number, hash: hash(`block ${number}`), timestamp };
}

/** A chain that returns the blocks of facts; `changed` has some of them otherwise. */
export function chainOf(facts: readonly Fact[], changed: ReadonlyMap<number, Hex> = new Map()) {
  const requested: number[] = [];
  const client: PublicClient = createPublicClient({
    cacheTime: 0,
    transport: custom(
      {
        request: async ({ method, params }: { method: string; params: [Hex] }) => {
          if (method !== 'eth_getBlockByNumber') throw new Error(`unexpected ${method}`);
          const block = blockAt(facts, Number(params[0]));
          requested.push(block.number);
          return {
            number: numberToHex(block.number),
            hash: changed.get(block.number) ?? block.hash,
            timestamp: numberToHex(block.timestamp),
            transactions: [],
          };
        },
      },
      { retryCount: 0 },
    ),
  });
  return { client, asked: requested };
}
