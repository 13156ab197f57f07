import type { Chain } from '../../engine/chain/chain.ts';
import { blockAt } from './sale-history.ts';

/**
 * A chain that has the blocks of the made histories and nothing new to say: what its facts were
 * compared with before the clock started. All of it is final.
 */
export function quietChain(head: number): Chain {
  return {
    chainId: 31_337,
    startBlock: 1,
    provenDepth: 128,
    restMs: 0,
    head: async () => blockAt(head),
    blockAt: async (number) => (number > head ? null : blockAt(number)),
    finality: async () => ({ safe: null, finalized: head }),
    logsOf: async (_from, to) => ({ to, logs: [] }),
    provenBlocks: async () => [],
  };
}
