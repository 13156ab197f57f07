import type { Chain, ChainTags } from '../chain/chain.ts';
import type { Heads, NextHeads, SettledBlock } from '../db/heads.ts';
import type { IndexerHead } from '../db/indexer/head.ts';
import type { Settling } from './settled-block.ts';
import { askChain, type Tick } from './tick.ts';

/**
 * The safe and finalized heights of the ledger. The ledger up to the settled block is folded from the
 * chain that was seen to have that block. A finalized block that was requested before that is on the same
 * chain, because no reorg replaces it. So finality moves on only if the settled block was seen on the
 * chain afterwards, and never above it (docs/how-it-works/settlement.md#the-settled-block).
 * @param tags the chain's own tags; `undefined` if the chain did not answer.
 */
export async function nextFinality(
  tick: Tick,
  known: Heads,
  tags: ChainTags | undefined,
  indexer: IndexerHead,
  { settled, onChain, complete }: Settling,
): Promise<
  Pick<
    NextHeads,
    'safeNumber' | 'finalizedNumber' | 'finalizedHash' | 'finalizedReplaced' | 'finalizedTagSeen'
  >
> {
  const { safeNumber, finalizedNumber, finalizedHash } = known;
  const finalizedReplaced = await isFinalizedReplaced(tick, known);
  const reported = settled && lowest(tags?.finalized ?? indexer.finalizedNumber, settled.number);
  const finalizedTagSeen = known.finalizedTagSeen || (tags?.finalized ?? null) !== null;
  // A chain that has returned the tag once has it: without it now, nothing is known of its finality.
  const isTagMissing = finalizedTagSeen && tags?.finalized === null;
  const isSure = tags !== undefined && !isTagMissing && complete && onChain === true;
  // A final block that was replaced stays recorded until finality has passed it: campaigns that have
  // events of it are stopped, and not rolled back.
  if (
    !isSure ||
    settled === null ||
    (finalizedReplaced && (reported ?? -1) <= (finalizedNumber ?? -1))
  ) {
    // A safe block may be replaced, and then the settled one above it is as well.
    const isDoubtful = onChain === false || finalizedReplaced;
    const safe = isDoubtful ? finalizedNumber : safeNumber;
    const stays = { safeNumber: safe, finalizedNumber, finalizedHash };
    return { ...stays, finalizedReplaced, finalizedTagSeen };
  }
  // The indexer's own finality replaces a tag that the chain does not have. It moves back when the
  // indexer restarts, but what was final stays final.
  const number = highest(reported, finalizedNumber);
  const hash =
    number === finalizedNumber ? finalizedHash : await hashAt(tick, number, settled, tags);
  const final = hash === null ? finalizedNumber : number;
  return {
    // A tag that is missing for a moment moves nothing back.
    safeNumber: highest(lowest(tags.safe ?? safeNumber, settled.number), final),
    finalizedNumber: final,
    finalizedHash: hash ?? finalizedHash,
    finalizedReplaced: false,
    finalizedTagSeen,
  };
}

/** True if the recorded finalized block is still replaced. Asks the chain only if it was. */
async function isFinalizedReplaced(tick: Tick, known: Heads): Promise<boolean> {
  if (!known.finalizedReplaced) return false;
  return (await askChain(tick, () => hasFinalized(tick.chain, known))) !== true;
}

/** Hash of a block; `null` if the chain does not have it, or does not answer. */
async function hashAt(
  tick: Tick,
  number: number | null,
  settled: SettledBlock,
  { finalized, finalizedHash }: ChainTags,
): Promise<SettledBlock['hash'] | null> {
  if (number === null) return null;
  if (number === settled.number) return settled.hash;
  if (number === finalized && finalizedHash !== undefined) return finalizedHash;
  return (await askChain(tick, () => tick.chain.blockAt(number)))?.hash ?? null;
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

/** The lower of two heights; `null` if the first is not known. */
function lowest(a: number | null, b: number): number | null {
  return a === null ? null : Math.min(a, b);
}

/**
 * True if the chain has the recorded finalized block, or none is recorded.
 * @throws if the RPC does not have a block at that height: it is behind, and says nothing about that block.
 */
export async function hasFinalized(
  chain: Chain,
  { finalizedNumber, finalizedHash }: Heads,
): Promise<boolean> {
  if (finalizedNumber === null) return true;
  const block = await chain.blockAt(finalizedNumber);
  if (block === null) throw new Error(`the RPC does not have block ${finalizedNumber} yet`);
  return block.hash === finalizedHash;
}
