import type { Chain } from '../chain/chain.ts';
import type { Heads } from '../db/heads.ts';
import type { FactRef } from '../db/indexer/facts.ts';
import type { IndexerHead } from '../db/indexer/head.ts';

/** Milliseconds that a lost fact may be missing before its campaign is stopped. */
export const LOST_FACT_GRACE_MS = 10_000;

/**
 * Why the indexer's table does not have a fact that was folded (docs/how-it-works/settlement.md#reorgs):
 * - `replaced`: a reorg replaced its block, which was not final. Roll back.
 * - `final-replaced`: the chain replaced its block, and our recorded heads had that block as final.
 * - `lost`: the chain still has the block, and the indexer can no longer bring its fact back.
 * - `waiting`: none of these is certain. An indexer that recovers from a crash removes rows and inserts
 *   them again; an RPC or the indexer may be behind.
 */
export type MissingFact = 'replaced' | 'final-replaced' | 'lost' | 'waiting';

/**
 * Classifies a missing fact. The chain is asked first; what was final is read from the heads as they
 * were last recorded, because the finality of now says nothing about a block of an earlier chain.
 * @param fact the oldest folded fact that is missing: what replaced its block replaced all later ones.
 * @param heads as recorded in the ledger.
 * @throws if the chain does not answer, or RPCs contradict each other.
 */
export async function classifyMissingFact(
  chain: Pick<Chain, 'blockAt' | 'head'>,
  fact: FactRef,
  indexer: IndexerHead,
  heads: Pick<Heads, 'finalizedNumber' | 'finalizedHash'>,
): Promise<MissingFact> {
  const { ready, blockNumber: indexed, finalizedNumber: indexerFinal } = indexer;
  if (!ready || indexed === null) return 'waiting';
  // A final block is recorded only after the ledger up to it was seen on its chain (`nextFinality`).
  const wasFinal =
    heads.finalizedHash !== null && fact.blockNumber <= (heads.finalizedNumber ?? -1);
  // Compares numbers, not checkpoints: those sort by time.
  if (indexed < fact.blockNumber) {
    const { number } = await chain.head();
    return number < fact.blockNumber && !wasFinal ? 'replaced' : 'waiting';
  }
  const block = await chain.blockAt(fact.blockNumber);
  if (block === null) return 'waiting';
  if (block.hash !== fact.blockHash) return wasFinal ? 'final-replaced' : 'replaced';
  // Above its finalized block the indexer may still be on another fork, or recovering.
  if (indexerFinal === null || fact.blockNumber > indexerFinal) return 'waiting';
  // An RPC below the indexer's finalized block is stuck, perhaps on a fork that was replaced.
  const { number } = await chain.head();
  return number >= indexerFinal ? 'lost' : 'waiting';
}
