import type { ChainBlock } from '../chain/chain.ts';
import type { Heads, SettledBlock } from '../db/heads.ts';
import type { Backlog } from '../db/indexer/backlog.ts';
import type { CheckedBlock, CheckedHead } from '../db/indexer/checked.ts';
import type { IndexerHead } from '../db/indexer/head.ts';
import { askChain, type Tick } from './tick.ts';

/** The checked head, and what a tick has seen of it on the chain. */
export interface SeenHead {
  readonly checked: CheckedHead;
  /** True if the chain was seen to have the checked head in this tick. */
  readonly onChain: boolean;
  /** A block that the chain was seen to have in this tick; `null` if there was none. */
  readonly confirmed: CheckedBlock | null;
}

/** The settled block of a tick. */
export interface Settling {
  readonly settled: SettledBlock | null;
  /** True if the chain has the block; `undefined` if the chain did not say so in this tick. */
  readonly onChain: boolean | undefined;
  /** True if every campaign is folded up to it, and none has to be rolled back. */
  readonly complete: boolean;
}

/**
 * The highest indexed and checked block with no unfolded fact at or below it
 * (docs/how-it-works/settlement.md#the-settled-block). It moves back only if the chain replaced that block: the lower
 * head of an indexer that recovers from a crash hides nothing that was readable. It never moves below the final
 * block: if an RPC says that the chain has replaced it, what was read as final stays readable.
 */
export async function settledBlock(
  tick: Tick,
  { settled: before, finalizedNumber }: Pick<Heads, 'settled' | 'finalizedNumber'>,
  { checked, onChain, confirmed }: SeenHead,
  indexer: IndexerHead,
  backlog: readonly Backlog[],
): Promise<Settling> {
  const candidate = settledNumber(checked, indexer, backlog);
  const complete = (settled: SettledBlock) => candidate !== null && candidate >= settled.number;
  const stay = (isOnChain: boolean | undefined): Settling =>
    before === null
      ? { settled: null, onChain: undefined, complete: false }
      : { settled: before, onChain: isOnChain, complete: complete(before) };
  const goTo = async (number: number): Promise<Settling> => {
    const block = await blockAt(tick, number, checked);
    if (block == null) return stay(undefined);
    const isOnChain = number === checked.number ? onChain || undefined : true;
    return { settled: block, onChain: isOnChain, complete: complete(block) };
  };
  if (candidate === before?.number && indexer.blockNumber === candidate) return goTo(candidate);
  if (candidate !== null && (before === null || candidate > before.number)) return goTo(candidate);
  if (before === null) return stay(undefined);
  if (tick.isWaiting && candidate === before.number) return stay(undefined);
  if (confirmed?.number === before.number && confirmed.hash === before.hash) return stay(true);
  const current = await askChain(tick, () => tick.chain.blockAt(before.number));
  // Unreachable chain: nothing is known to have changed.
  if (current === undefined) return stay(undefined);
  if (current?.hash === before.hash) return stay(true);
  const isBelowFinal = candidate === null || candidate < (finalizedNumber ?? -1);
  return isBelowFinal ? stay(false) : await goTo(candidate);
}

/** Height of the settled block; `null` if no block is indexed or checked, or a cursor's fact is missing. */
export function settledNumber(
  checked: CheckedHead,
  indexer: IndexerHead,
  backlog: readonly Backlog[],
): number | null {
  if (indexer.blockNumber === null || checked.hash === null) return null;
  let number = Math.min(indexer.blockNumber, checked.number);
  for (const { cursorMissing, firstBlock } of backlog) {
    if (cursorMissing) return null;
    if (firstBlock !== null && firstBlock <= number) number = firstBlock - 1;
  }
  return number;
}

/** A block of the chain; `null` above the head, `undefined` if the chain does not answer. */
export async function blockAt(
  tick: Tick,
  number: number,
  checked: CheckedHead,
): Promise<ChainBlock | null | undefined> {
  // Its hash was compared in this tick, or when the chain last answered.
  if (number === checked.number && checked.hash !== null) return { ...checked, hash: checked.hash };
  return await askChain(tick, () => tick.chain.blockAt(number));
}
