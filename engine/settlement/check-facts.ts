import type { Chain, ChainBlock, ChainHead, LogLocation, ProvenBlock } from '../chain/chain.ts';
import { IncompleteAnswerError } from '../chain/errors.ts';
import type { Hex } from '../core/events.ts';
import type { Pool } from '../db/connection.ts';
import {
  type CheckedBlock,
  type CheckedHead,
  type CheckedRange,
  type Comparison,
  checkedBlocksBelow,
  compareWithChain,
  compareWithRecorded,
  type Difference,
  moveChecked,
  type ReturnedLog,
  readChecked,
} from '../db/indexer/checked.ts';
import type { IndexerHead } from '../db/indexer/head.ts';
import type { LeaderToken } from '../db/leadership.ts';
import { areFast } from './fast-blocks.ts';

/** Database and chain of a check, and the indexer that is checked. */
export interface CheckOptions {
  readonly pool: Pool;
  readonly chain: Chain;
  /** Schema of the indexer whose facts are checked: settlement's own, or that of a reindex. */
  readonly schema: string;
  /** The checked head, if the caller has just read it; otherwise it is read. */
  readonly checked?: CheckedHead;
  /** The worker that checks as the leader; absent otherwise. */
  readonly leader?: LeaderToken | undefined;
  /** Called and awaited if a reorg replaced the checked head, before the checked head moves back. */
  readonly onReorg?: () => Promise<void>;
}

/** How far the facts agree with the chain, and the first block where they do not. */
export interface CheckResult {
  readonly checked: CheckedHead;
  /** `null` if they agree so far. */
  readonly mismatch: Mismatch | null;
  /** True if the chain was seen to have the checked head in this call. */
  readonly onChain: boolean;
  /** The checked head at the start of the call if the chain was seen to have it; otherwise `null`. */
  readonly confirmed: CheckedBlock | null;
}

/** A mismatch that one comparison found, with the indexed blocks concerned. */
interface FoundMismatch extends Mismatch {
  /** Blocks with facts that differ, as the indexer has them. */
  readonly indexed: readonly { readonly number: number; readonly hash: Hex }[];
}

/** Result of comparing one range of blocks. */
interface StepResult {
  readonly checked: CheckedHead;
  readonly mismatch: FoundMismatch | null;
}

/** Facts that differ from the chain: no block at or above this one is settled. */
export interface Mismatch {
  /** `orphaned`: the indexer is still on blocks that the chain has replaced, and will leave them. */
  readonly name: 'mismatch' | 'orphaned';
  readonly blockNumber: number;
  /** A sentence: what is missing or extra, and where. */
  readonly message: string;
}

/** Blocks of one comparison: by their headers, and by `eth_getLogs`. */
const MAX_PROVEN_BLOCKS = 64;
const MAX_LOG_BLOCKS = 8_000;

/** Comparisons in one call, so that heads are recorded in between. */
const MAX_STEPS = 16;

/** Blocks that an RPC may be behind the indexer's: nodes behind one address are a few blocks apart. */
const MAX_BEHIND_BLOCKS = 20;

/** Blocks requested concurrently in search of the last one that a reorg left. */
const MAX_CONCURRENT_BLOCKS = 32;

/** The chain's logs in a range of blocks, with which facts are compared. */
interface ChainRange {
  readonly to: ChainBlock;
  readonly logs: readonly LogLocation[];
  /** Blocks of the range that were requested. */
  readonly blocks: readonly ChainBlock[];
  /** True if nothing happened to the contract in the range. */
  readonly isQuiet?: true;
}

/**
 * Compares the indexer's facts with the chain itself, from the checked head up to the indexed block,
 * a few ranges a call (docs/how-it-works/settlement.md#detect-dont-trust). Blocks that agree become checked. The first
 * one that does not ends the check until the indexer's rows agree.
 * @param head the chain's newest block.
 * @throws if the chain does not answer, or RPCs contradict each other.
 */
export async function checkFacts(
  options: CheckOptions,
  head: ChainHead,
  indexer: IndexerHead,
): Promise<CheckResult> {
  const { pool, chain, schema } = options;
  const known = options.checked ?? (await readChecked(pool, schema, chain.startBlock));
  if (indexer.blockNumber === null) {
    return { checked: known, mismatch: null, onChain: false, confirmed: null };
  }
  const fate = await fateOf(chain, known, head, indexer.blockNumber);
  const common = fate === 'replaced' ? await backToCommon(options, known) : known;
  let onChain = fate !== 'unknown';
  let result = await pruneFinal(options, common, indexer);
  for (let step = 0; step < MAX_STEPS && result.mismatch === null; step += 1) {
    const { checked } = result;
    if (checked.number >= Math.min(indexer.blockNumber, head.number)) break;
    const quiet = onChain ? await readQuiet(chain, checked, head, indexer.blockNumber) : null;
    if (quiet !== null) result = await compareStep(options, checked, quiet, indexer);
    // Facts of a range that seems to be quiet are compared with its headers and receipts: these prove more.
    if (quiet === null || result.mismatch !== null) {
      const range = await readChain(chain, result.checked, head, indexer.blockNumber);
      if (range === null) break;
      result = await compareStep(options, result.checked, range, indexer);
    }
    if (result.checked.number === checked.number) break;
    onChain = true;
  }
  if (result.mismatch === null && indexer.blockNumber > head.number + MAX_BEHIND_BLOCKS) {
    throw new IncompleteAnswerError(
      `is behind: its newest block is ${head.number}, and the indexer has block ${indexer.blockNumber}`,
    );
  }
  const confirmed = fate === 'on-chain' ? known : null;
  const { mismatch } = result;
  if (mismatch === null || !(await isOrphaned(chain, mismatch, indexer)))
    return { ...result, onChain, confirmed };
  return { ...result, mismatch: orphanedAt(mismatch.blockNumber), onChain, confirmed };
}

/**
 * Compares the checked head with the chain.
 * @throws if the RPC lags below it, which proves nothing.
 */
async function fateOf(
  chain: Chain,
  checked: CheckedHead,
  head: ChainHead,
  indexed: number,
): Promise<'on-chain' | 'replaced' | 'unknown'> {
  if (checked.hash === null) return 'unknown';
  if (head.number < checked.number) {
    if (indexed < checked.number) return 'replaced';
    throw new IncompleteAnswerError(
      `is behind: its newest block is ${head.number}, and block ${checked.number} was there before`,
    );
  }
  // The next block names it as its parent.
  const follows = head.number === checked.number + 1 && head.parentHash === checked.hash;
  if (follows) return 'on-chain';
  const now = head.number === checked.number ? head : await chain.blockAt(checked.number);
  if (now === null) return 'unknown';
  return now.hash === checked.hash ? 'on-chain' : 'replaced';
}

/**
 * Moves the checked head back to the highest checked block that the chain still has. If the chain has
 * replaced even the final checked block, everything is checked again from the start, because blocks
 * below it are not recorded.
 */
async function backToCommon(options: CheckOptions, from: CheckedHead): Promise<CheckedHead> {
  const { pool, chain, schema } = options;
  await options.onReorg?.();
  let common: CheckedBlock | undefined;
  let below = from.number;
  while (common === undefined) {
    const known = await checkedBlocksBelow(pool, schema, below, MAX_CONCURRENT_BLOCKS);
    const lowest = known.at(-1);
    if (lowest === undefined) break;
    const now = await Promise.all(known.map(({ number }) => chain.blockAt(number)));
    common = known.find(({ hash }, i) => now[i]?.hash === hash);
    below = lowest.number;
  }
  const final = common === undefined ? await finalOrStart(chain, from.final) : from.final;
  const to = { ...(common ?? final), final };
  await moveChecked(pool, schema, from, to, [], options.leader);
  return to;
}

/** The final checked block if the chain has it, otherwise the block before the first. */
async function finalOrStart(chain: Chain, final: CheckedBlock): Promise<CheckedBlock> {
  const start = { number: chain.startBlock - 1, hash: null, timestamp: 0 };
  if (final.hash === null) return start;
  return (await chain.blockAt(final.number))?.hash === final.hash ? final : start;
}

/**
 * Prunes recorded logs of blocks that are now final to the indexer, after checking that it still has
 * them. Only a block that was checked by its hash becomes the final one.
 */
async function pruneFinal(
  { pool, schema, leader }: CheckOptions,
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
  const compared = await compareWithRecorded(pool, schema, range);
  if (isBehind(compared, number)) return same;
  const mismatch = mismatchOf(compared);
  if (mismatch !== null) return { checked, mismatch };
  const to = { ...checked, final: { number, hash, timestamp } };
  await moveChecked(pool, schema, checked, to, [], leader);
  return { checked: to, mismatch: null };
}

/** Blocks that are checked by their headers in any case: to show that they are quiet costs three or four calls. */
const MAX_SINGLE = 3;

/**
 * The next blocks, if they come faster than one a second and nothing happened to the contract in them: its storage is as
 * before, and there is no log. The chain has the checked block. `null` if the blocks must be read by their headers.
 */
async function readQuiet(
  chain: Chain,
  checked: CheckedHead,
  head: ChainHead,
  indexed: number,
): Promise<ChainRange | null> {
  const from = checked.number + 1;
  const to = Math.min(indexed, head.number);
  // Older blocks are checked by their logs in any case.
  if (to - checked.number <= MAX_SINGLE || from <= head.number - chain.provenDepth) return null;
  if (checked.hash === null || chain.storageRoot === undefined) return null;
  if (!areFast(checked, head)) return null;
  const block = to === head.number ? head : await chain.blockAt(to);
  if (block === null) return null;
  const [before, after, found] = await Promise.all([
    chain.storageRoot(checked.hash),
    chain.storageRoot(block.hash),
    chain.logsOf(from, to),
  ]);
  const isQuiet = before !== null && before === after && found.to === to && !found.logs.length;
  return isQuiet ? { to: block, logs: [], blocks: [block], isQuiet } : null;
}

/**
 * Reads the next blocks from the chain; `null` if a reorg has replaced the first of them meanwhile.
 * @throws if it does not have them, although its newest block is above them.
 */
async function readChain(
  chain: Chain,
  checked: CheckedHead,
  head: ChainHead,
  indexed: number,
): Promise<ChainRange | null> {
  const from = checked.number + 1;
  const newest = Math.min(indexed, head.number);
  const old = head.number - chain.provenDepth;
  if (from <= old) {
    const to = Math.min(newest, old, checked.number + MAX_LOG_BLOCKS);
    // Fewer blocks if they have many logs, or a slow RPC: those are recorded, and the next step continues after them. Their
    // last one is asked for afterwards: next to a large response, its request might fail.
    const found = await chain.logsOf(from, to);
    const block = await chain.blockAt(found.to);
    if (block === null) throw lacks(found.to, head);
    return { to: block, logs: found.logs, blocks: [block] };
  }
  const end = Math.min(newest, checked.number + MAX_PROVEN_BLOCKS);
  const proven = await provenUpTo(chain, head, from, end);
  if (proven.length === 0) throw lacks(from, head);
  const blocks = linked(checked, proven);
  const to = blocks.at(-1);
  return to === undefined ? null : { to, logs: blocks.flatMap(({ logs }) => logs), blocks };
}

function lacks(number: number, head: ChainHead): IncompleteAnswerError {
  return new IncompleteAnswerError(
    `does not have block ${number}, although its newest block is ${head.number}`,
  );
}

/** The blocks of a range by their headers; that of the head is not requested again. */
async function provenUpTo(
  chain: Chain,
  head: ChainHead,
  from: number,
  to: number,
): Promise<readonly ProvenBlock[]> {
  const { parentHash, readLogs } = head;
  const isKnown = head.logs !== undefined || readLogs !== undefined;
  if (to !== head.number || parentHash === undefined || !isKnown) {
    return await chain.provenBlocks(from, to);
  }
  const [before, logs] = await Promise.all([
    from < to ? chain.provenBlocks(from, to - 1) : [],
    head.logs ?? readLogs?.() ?? [],
  ]);
  return before.length === to - from ? [...before, { ...head, parentHash, logs }] : before;
}

/** The blocks that follow from the checked one without a gap: a reorg may lie between two requests. */
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
  { pool, chain, schema, leader }: CheckOptions,
  checked: CheckedHead,
  { to, logs, blocks, isQuiet }: ChainRange,
  indexer: IndexerHead,
): Promise<StepResult> {
  // Final blocks need not be recorded, unless a block below them is not final.
  const allFinal = checked.final.number === checked.number;
  const floor = allFinal ? (indexer.finalizedNumber ?? checked.number) : checked.final.number;
  const range: CheckedRange = { after: checked, to };
  const compared = await compareWithChain(pool, schema, range, logs.map(comparableLog), floor);
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
      : await finalUpTo(chain, blocks, checked, isQuiet ? checked.final.number : floor);
  const recorded = blocks.filter((one) => one.number <= number && one.number > final.number);
  const checkedHead = { number, hash, timestamp, final };
  await moveChecked(pool, schema, checked, checkedHead, recorded.map(checkedBlock), leader);
  return { checked: checkedHead, mismatch };
}

/** The indexer's finalized block if it is in this step; otherwise the previous one. */
async function finalUpTo(
  chain: Chain,
  blocks: readonly ChainBlock[],
  checked: CheckedHead,
  floor: number,
): Promise<CheckedHead['final']> {
  if (floor <= checked.final.number) return checked.final;
  const block = blocks.find(({ number }) => number === floor) ?? (await chain.blockAt(floor));
  if (block === null) throw new Error(`the RPC no longer has block ${floor}`);
  return checkedBlock(block);
}

/** True if the indexer has rolled blocks back since its head was read. */
function isBehind({ indexer }: Comparison, number: number): boolean {
  return (indexer.blockNumber ?? -1) < number;
}

/**
 * True if the indexer is only behind: the facts that differ are of blocks that the chain has replaced, or
 * its newest block is one. It cannot roll back blocks that are final to it, so these do not count.
 */
async function isOrphaned(
  chain: Chain,
  found: FoundMismatch,
  indexer: IndexerHead,
): Promise<boolean> {
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

function mismatchOf({ differences, count }: Comparison): FoundMismatch | null {
  const [first] = differences;
  if (first === undefined) return null;
  const more = count === 1 ? '' : ` and ${count - 1} more`;
  return {
    name: 'mismatch',
    blockNumber: first.blockNumber,
    indexed: differences.flatMap(({ blockNumber: number, blockHash: hash }) =>
      hash === null ? [] : [{ number, hash }],
    ),
    message: `Block ${first.blockNumber}: the indexer ${DESCRIPTIONS[first.kind]} log ${first.logIndex} of transaction ${first.transactionHash}${more}.`,
  };
}

const DESCRIPTIONS: Readonly<Record<Difference['kind'], string>> = {
  missing: 'does not have',
  extra: 'has what the chain does not have,',
  different: 'has of another block',
};

function comparableLog(log: LogLocation): ReturnedLog {
  const { blockNumber, blockHash, transactionHash, logIndex } = log;
  return { blockNumber, blockHash, transactionHash, logIndex };
}

function checkedBlock({ number, hash, timestamp }: ChainBlock): CheckedBlock {
  return { number, hash, timestamp };
}
