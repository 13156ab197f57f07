import type { Hex } from '../core/events.ts';
import {
  type CheckedBlock,
  type CheckedHead,
  type CheckedRange,
  type Comparison,
  checkedBlocksBelow,
  compareWithChain,
  compareWithKept,
  type Difference,
  factKey,
  moveChecked,
  readChecked,
  type ToldLog,
} from '../db/checked.ts';
import type { Pool } from '../db/connection.ts';
import type { IndexerHead } from '../db/indexer-head.ts';
import type { Chain, ChainBlock, ChainHead, ChainLog, ProvenBlock } from './chain.ts';

export interface CheckOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  /** Of the indexer whose facts are checked: settlement's own, or one that is being made. */
  readonly schema: string;
  /** Called, and awaited, when a reorg took the checked head, before the checked head moves back. */
  readonly onReorg?: () => Promise<void>;
}

/** How far the facts are those of the chain, and where they are not. */
export interface CheckResult {
  readonly checked: CheckedHead;
  /** `null` where they agree so far. */
  readonly mismatch: Mismatch | null;
  /** True if the chain was seen to have the checked head in this call. */
  readonly onChain: boolean;
}

/** What one comparison found. */
interface Found extends Mismatch {
  /** Blocks that the indexer has facts of, where they differ. */
  readonly indexed: readonly { readonly number: number; readonly hash: Hex }[];
}

/** A step's part of that. */
interface StepResult {
  readonly checked: CheckedHead;
  readonly mismatch: Found | null;
}

/** Facts that are not what the chain has: nothing at or above the block is settled. */
export interface Mismatch {
  /** `orphaned`: the indexer is still on blocks that the chain has replaced, and can leave them. */
  readonly name: 'mismatch' | 'orphaned';
  readonly blockNumber: number;
  /** A sentence: what is missing or extra, and where. */
  readonly message: string;
}

/** Blocks that one comparison covers: by their headers, and by `eth_getLogs`. */
const PROVEN_AT_ONCE = 64;
const LOGS_AT_ONCE = 8_000;

/** Comparisons of one look, so that heads are written in between. */
const STEPS_MOST = 16;

/** Blocks asked for at once in search of the last that a reorg left. */
const BACK_AT_ONCE = 32;

/** One step's answer of the chain: what facts of a range are held against. */
interface Told {
  readonly to: ChainBlock;
  readonly logs: readonly ChainLog[];
  /** Headers between, where they were asked for. */
  readonly blocks: readonly ChainBlock[];
}

/**
 * Compares the indexer's facts with the chain itself, from the checked head up to the indexed block,
 * a few ranges a call (docs/settlement.md, «Detect, don't trust»). What agrees is checked; the first
 * block that does not ends it, until the indexer's rows agree.
 * @param head the chain's newest block.
 * @throws where the chain does not answer, or RPCs contradict each other: nothing is guessed.
 */
export async function checkFacts(
  options: CheckOptions,
  head: ChainHead,
  indexer: IndexerHead,
): Promise<CheckResult> {
  const { pool, chain, schema } = options;
  const known = await readChecked(pool, schema, chain.startBlock);
  if (indexer.blockNumber === null) return { checked: known, mismatch: null, onChain: false };
  const fate = await fateOf(chain, known, head, indexer.blockNumber);
  const common = fate === 'replaced' ? await backToCommon(options, known) : known;
  let onChain = fate !== 'unknown';
  let result = await settleFinal(options, common, indexer);
  for (let step = 0; step < STEPS_MOST && result.mismatch === null; step += 1) {
    const { checked } = result;
    if (checked.number >= Math.min(indexer.blockNumber, head.number)) break;
    const told = await askChain(chain, checked, head, indexer.blockNumber);
    if (told === null) break;
    result = await compareStep(options, checked, told, indexer);
    if (result.checked.number === checked.number) break;
    onChain = true;
  }
  const { mismatch } = result;
  if (mismatch === null || !(await isOrphaned(chain, mismatch, indexer)))
    return { ...result, onChain };
  return { ...result, mismatch: orphanedAt(mismatch.blockNumber), onChain };
}

/** What became of the checked head. An RPC that lags below it proves nothing. */
async function fateOf(
  chain: Chain,
  checked: CheckedHead,
  head: ChainHead,
  indexed: number,
): Promise<'on-chain' | 'replaced' | 'unknown'> {
  if (checked.hash === null) return 'unknown';
  if (head.number < checked.number) return indexed < checked.number ? 'replaced' : 'unknown';
  // The next block names it; the blocks between are held against it one by one (`linked`).
  const follows = head.number === checked.number + 1 && head.parentHash === checked.hash;
  if (follows) return 'on-chain';
  const now = head.number === checked.number ? head : await chain.blockAt(checked.number);
  if (now === null) return 'unknown';
  return now.hash === checked.hash ? 'on-chain' : 'replaced';
}

/**
 * Moves the checked head back to the highest checked block that the chain still has. If the chain has
 * replaced even the final checked block, everything is checked again from the start: which of the
 * blocks below it are left is not recorded.
 */
async function backToCommon(options: CheckOptions, from: CheckedHead): Promise<CheckedHead> {
  const { pool, chain, schema } = options;
  await options.onReorg?.();
  let common: CheckedBlock | undefined;
  let below = from.number;
  while (common === undefined) {
    const known = await checkedBlocksBelow(pool, schema, below, BACK_AT_ONCE);
    const lowest = known.at(-1);
    if (lowest === undefined) break;
    const now = await Promise.all(known.map(({ number }) => chain.blockAt(number)));
    common = known.find(({ hash }, i) => now[i]?.hash === hash);
    below = lowest.number;
  }
  const final = common === undefined ? await finalOrStart(chain, from.final) : from.final;
  const to = { ...(common ?? final), final };
  await moveChecked(pool, schema, from, to, []);
  return to;
}

/** The final checked block if the chain has it, otherwise the block before the first. */
async function finalOrStart(chain: Chain, final: CheckedBlock): Promise<CheckedBlock> {
  const start = { number: chain.startBlock - 1, hash: null, timestamp: 0 };
  if (final.hash === null) return start;
  return (await chain.blockAt(final.number))?.hash === final.hash ? final : start;
}

/**
 * Prunes recorded logs of blocks that are final to the indexer now, after checking that it still has
 * them. Only a block that was checked by its hash becomes the final one.
 */
async function settleFinal(
  { pool, schema }: CheckOptions,
  checked: CheckedHead,
  indexer: IndexerHead,
): Promise<StepResult> {
  const same = { checked, mismatch: null };
  const indexed = Math.min(indexer.finalizedNumber ?? -1, indexer.blockNumber ?? -1);
  if (Math.min(indexed, checked.number) <= checked.final.number) return same;
  const [below] =
    indexed < checked.number ? await checkedBlocksBelow(pool, schema, indexed + 1, 1) : [checked];
  if (below === undefined || below.number <= checked.final.number) return same;
  const { number, hash, timestamp } = below;
  const range = { after: checked.final, to: below };
  const compared = await compareWithKept(pool, schema, range);
  if (isBehind(compared, number)) return same;
  const mismatch = mismatchOf(compared);
  if (mismatch !== null) return { checked, mismatch };
  const to = { ...checked, final: { number, hash, timestamp } };
  await moveChecked(pool, schema, checked, to, []);
  return { checked: to, mismatch: null };
}

/** Asks the chain about the next blocks; `null` where it does not have them yet, or not any more. */
async function askChain(
  chain: Chain,
  checked: CheckedHead,
  head: ChainBlock,
  indexed: number,
): Promise<Told | null> {
  const from = checked.number + 1;
  const last = Math.min(indexed, head.number);
  const old = head.number - chain.provenDepth;
  if (from <= old) {
    const to = Math.min(last, old, checked.number + LOGS_AT_ONCE);
    const [block, logs] = await Promise.all([chain.blockAt(to), chain.logsOf(from, to)]);
    return block === null ? null : { to: block, logs, blocks: [block] };
  }
  const proven = await chain.provenBlocks(from, Math.min(last, checked.number + PROVEN_AT_ONCE));
  const blocks = linked(checked, proven);
  const to = blocks.at(-1);
  return to === undefined ? null : { to, logs: blocks.flatMap(({ logs }) => logs), blocks };
}

/** The blocks that follow from the checked one: a reorg may lie between two questions. */
function linked(checked: CheckedHead, blocks: readonly ProvenBlock[]): readonly ProvenBlock[] {
  let parent = checked.hash;
  const broken = blocks.findIndex(({ hash, parentHash }) => {
    const follows = parent === null || parentHash === parent;
    parent = hash;
    return !follows;
  });
  return broken < 0 ? blocks : blocks.slice(0, broken);
}

async function compareStep(
  { pool, chain, schema }: CheckOptions,
  checked: CheckedHead,
  { to, logs, blocks }: Told,
  indexer: IndexerHead,
): Promise<StepResult> {
  // What is final already need not be kept, where nothing that is not final lies below.
  const allFinal = checked.final.number === checked.number;
  const floor = allFinal ? (indexer.finalizedNumber ?? checked.number) : checked.final.number;
  const range: CheckedRange = { after: checked, to };
  const compared = await compareWithChain(pool, schema, range, logs.map(toldLog), floor);
  if (isBehind(compared, to.number)) return { checked, mismatch: null };
  const mismatch = mismatchOf(compared);
  const number = mismatch === null ? to.number : mismatch.blockNumber - 1;
  if (number <= checked.number) return { checked, mismatch };
  const block = blocks.find((one) => one.number === number) ?? (await chain.blockAt(number));
  if (block === null) return { checked, mismatch };
  const { hash, timestamp } = block;
  const final =
    allFinal && floor >= number
      ? { number, hash, timestamp }
      : await finalUpTo(chain, blocks, checked, floor);
  const kept = blocks.filter((one) => one.number <= number && one.number > final.number);
  const moved = { number, hash, timestamp, final };
  await moveChecked(pool, schema, checked, moved, kept.map(checkedBlock));
  return { checked: moved, mismatch };
}

/** The block that is final to the indexer, where it lies in this step; else the one before. */
async function finalUpTo(
  chain: Chain,
  blocks: readonly ChainBlock[],
  checked: CheckedHead,
  floor: number,
): Promise<CheckedHead['final']> {
  if (floor <= checked.final.number) return checked.final;
  const block = blocks.find(({ number }) => number === floor) ?? (await chain.blockAt(floor));
  if (block === null) throw new Error(`the RPC does not have block ${floor} any more`);
  return checkedBlock(block);
}

/** Whether the indexer has taken blocks back since its head was read. */
function isBehind({ indexer }: Comparison, number: number): boolean {
  return (indexer.blockNumber ?? -1) < number;
}

/**
 * Whether the indexer is only behind: the facts that differ are of blocks that the chain has replaced, or
 * its newest block is one. What is final to it, it cannot take back: that is no lag.
 */
async function isOrphaned(chain: Chain, found: Found, indexer: IndexerHead): Promise<boolean> {
  const { blockNumber: newest, timestamp, finalizedNumber } = indexer;
  if (newest === null || found.blockNumber <= (finalizedNumber ?? -1)) return false;
  const [first] = found.indexed;
  if (first !== undefined) return (await chain.blockAt(first.number))?.hash !== first.hash;
  const block = await chain.blockAt(newest);
  return block === null || (timestamp !== null && block.timestamp !== timestamp);
}

function orphanedAt(blockNumber: number): Mismatch {
  const message = `The indexer is still on a block ${blockNumber} that the chain has replaced.`;
  return { name: 'orphaned', blockNumber, message };
}

function mismatchOf({ differences, count }: Comparison): Found | null {
  const [first] = differences;
  if (first === undefined) return null;
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  return {
    name: 'mismatch',
    blockNumber: first.blockNumber,
    indexed: differences.flatMap(({ blockNumber: number, blockHash: hash }) =>
      hash === null ? [] : [{ number, hash }],
    ),
    message: `Block ${first.blockNumber}: the indexer ${SAYS[first.kind]} log ${first.logIndex} of transaction ${first.transactionHash}${more}.`,
  };
}

const SAYS: Readonly<Record<Difference['kind'], string>> = {
  missing: 'does not have',
  extra: 'has what the chain does not have,',
  different: 'has of another block or transaction',
};

function toldLog(log: ChainLog): ToldLog {
  const { blockNumber, blockHash, transactionHash } = log;
  return { key: factKey(log), blockNumber, blockHash, transactionHash };
}

function checkedBlock({ number, hash, timestamp }: ChainBlock): CheckedBlock {
  return { number, hash, timestamp };
}
