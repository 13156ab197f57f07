import type { Chain } from '../../engine/chain/chain.ts';

/**
 * The chain, which names each request before it makes it, with the numbers that it asks for: `logsOf 1 20`.
 * @param onRequest may throw, as a chain does that is away.
 */
export function countingChain(chain: Chain, onRequest: (request: string) => void): Chain {
  const counting = <Args extends unknown[], T>(
    name: string,
    request: (...args: Args) => Promise<T>,
  ) => {
    return async (...args: Args) => {
      onRequest([name, ...args.filter((one) => typeof one === 'number')].join(' '));
      return await request(...args);
    };
  };
  const { chainId, startBlock, provenDepth, restMs, storageRoot } = chain;
  return {
    ...{ chainId, startBlock, provenDepth, restMs },
    head: counting('head', chain.head),
    finality: counting('finality', chain.finality),
    blockAt: counting('blockAt', chain.blockAt),
    logsOf: counting('logsOf', chain.logsOf),
    provenBlocks: counting('provenBlocks', chain.provenBlocks),
    ...(storageRoot && { storageRoot: counting('storageRoot', storageRoot) }),
  };
}
