import type { Fact } from '../../engine/core/events.ts';
import type { TestChain } from './chain.ts';
import { factsFrom, factsOfChain } from './facts.ts';

/** Every event of a test's contract, as settlement reads it. */
export async function chainFacts(chain: TestChain): Promise<Fact[]> {
  return factsFrom(await factsOfChain(chain), chain.chainId);
}
