import type { Pool } from '../db/connection.ts';
import { type Backlog, type IndexerHead, indexerTablesExist, readBacklog } from '../db/facts.ts';
import { campaignsDue, type Heads, readHeads, type SettledBlock, writeHeads } from '../db/heads.ts';
import type { Chain, ChainBlock } from './chain.ts';
import type { SettleQueue } from './queue.ts';

export interface FeederOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  readonly queue: Pick<SettleQueue, 'push'>;
  /** Called where the chain cannot be asked; feeding goes on with what is known. */
  readonly onChainError: (error: unknown) => void;
}

/**
 * One look at everything: compares every cursor with the facts, queues the campaigns that have
 * something to look at, and writes the heads down. It looks at levels, not edges, so that nothing
 * is lost where a wake-up, a job or the whole queue was (design §5).
 */
export async function feed(options: FeederOptions): Promise<void> {
  const { pool, chain, queue } = options;
  const known = await readHeads(pool);
  if (known === undefined || !(await indexerTablesExist(pool, known.indexerSchema))) return;
  // The head is asked for first: lag is then never shown smaller than it is.
  const head = await askChain(options, () => chain.head());
  const { indexer, backlog } = await readBacklog(pool, known.indexerSchema);
  const settled = await settledBlock(options, known.settled, indexer, backlog);
  const due = settled === null ? [] : await campaignsDue(pool, settled.timestamp);
  const heads = await nextHeads(options, known, head, indexer, settled);
  await writeHeads(pool, heads);
  await queue.push([...new Set([...backlog.map((one) => one.campaignId), ...due])]);
}

/**
 * The highest indexed block with no unfolded fact at or below it (design §5, Finality). It falls
 * only where the chain replaced that block: while the indexer recovers from a crash it stands lower
 * for a while, and nothing that was readable goes missing.
 */
async function settledBlock(
  options: FeederOptions,
  before: SettledBlock | null,
  indexer: IndexerHead,
  backlog: readonly Backlog[],
): Promise<SettledBlock | null> {
  const candidate = settledNumber(indexer, backlog);
  if (candidate === before?.number && indexer.blockNumber === candidate) {
    const now = await blockAt(options, candidate);
    return now ?? before;
  }
  if (candidate !== null && (before === null || candidate > before.number)) {
    return (await blockAt(options, candidate)) ?? before;
  }
  if (before === null) return null;
  const still = await blockAt(options, before.number);
  // Unreachable chain: nothing is known to have changed.
  if (still === undefined || still?.hash === before.hash) return before;
  if (candidate === null) return before;
  return (await blockAt(options, candidate)) ?? before;
}

/** `null` where nothing can be said: no block is indexed, or a cursor's fact is missing. */
function settledNumber(indexer: IndexerHead, backlog: readonly Backlog[]): number | null {
  if (indexer.blockNumber === null) return null;
  let number = indexer.blockNumber;
  for (const { cursorMissing, firstBlock } of backlog) {
    if (cursorMissing) return null;
    if (firstBlock !== null && firstBlock <= number) number = firstBlock - 1;
  }
  return number;
}

/** `null` above the head; `undefined` where the chain does not answer. */
async function blockAt(
  options: FeederOptions,
  number: number,
): Promise<ChainBlock | null | undefined> {
  return await askChain(options, () => options.chain.blockAt(number));
}

async function askChain<T>(options: FeederOptions, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    options.onChainError(error);
    return undefined;
  }
}

async function nextHeads(
  options: FeederOptions,
  known: Heads,
  head: ChainBlock | undefined,
  indexer: IndexerHead,
  settled: SettledBlock | null,
): Promise<Omit<Heads, 'indexerSchema'>> {
  const tags = await askChain(options, () => options.chain.finality());
  // The indexer's own finality stands in for a tag that the chain does not have, and not for one
  // that it was not heard to say; it falls back at a restart, and what was final stays final.
  const told = tags === undefined ? null : (tags.finalized ?? indexer.finalizedNumber);
  const finalizedNumber = highest(told, known.finalizedNumber);
  return {
    indexerReady: indexer.ready,
    chainNumber: head?.number ?? known.chainNumber,
    chainTimestamp: head?.timestamp ?? known.chainTimestamp,
    indexedNumber: indexer.blockNumber,
    settled,
    safeNumber: highest(tags === undefined ? known.safeNumber : tags.safe, finalizedNumber),
    finalizedNumber,
  };
}

function highest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}
