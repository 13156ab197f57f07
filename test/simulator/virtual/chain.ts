import type { ChainBlock, LogLocation } from '../../../engine/chain/chain.ts';
import type { Fact, Hex } from '../../../engine/core/events.ts';
import { VirtualContract } from './contract.ts';
import { hash32 } from './hash.ts';

/** A transaction: what it does was decided when it was made, so that it can be mined again. */
export interface Call {
  readonly name: string;
  readonly hostile: boolean;
  readonly transactionHash: Hex;
  run(contract: VirtualContract): void;
}

export interface VirtualBlock extends ChainBlock {
  readonly parentHash: Hex;
  /** All its transactions, refused ones included. */
  readonly calls: readonly Call[];
  readonly facts: readonly Fact[];
  readonly logs: readonly LogLocation[];
  /** The contract's undo mark before the block. */
  readonly mark: number;
}

/** How often a function was called, by its name. */
export interface CallCount {
  taken: number;
  refused: number;
}

const GENESIS_TIME = 1_700_000_000;

/** Blocks below the head that can still be undone: more than any reorg replaces. */
const UNDO_BLOCKS = 400;

/** Ponder's event id: digits of its parts (docs/reference/digest.md#the-digest-of-a-campaign). */
function eventId(block: ChainBlock, transactionIndex: number, logIndex: number): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  const at = `${pad(block.timestamp, 10)}${pad(31_337, 16)}${pad(block.number, 16)}`;
  return `${at}${pad(transactionIndex, 16)}5${pad(logIndex, 16)}`;
}

/**
 * A chain in memory: blocks with hashes that follow from parent, time and transactions, so that the
 * same transactions on the same parent make the same block.
 */
export class VirtualChain {
  readonly contract = new VirtualContract();
  readonly blocks: VirtualBlock[];
  readonly counts = new Map<string, CallCount>();
  /** Hashes of all blocks that ever were canonical. */
  readonly known = new Set<Hex>();
  /** The highest block there ever was. */
  highest = 0;

  constructor(readonly seed: number) {
    const genesis: VirtualBlock = {
      ...{ number: 0, hash: hash32(`genesis ${seed}`), timestamp: GENESIS_TIME, mark: 0 },
      ...{ parentHash: hash32('nothing'), calls: [], facts: [], logs: [] },
    };
    this.blocks = [genesis];
    this.known.add(genesis.hash);
  }

  get head(): VirtualBlock {
    const head = this.blocks.at(-1);
    if (head === undefined) throw new Error('a chain has at least its genesis block');
    return head;
  }

  /** Mines a block. @param timestamp unix seconds, after that of the head. */
  mine(calls: readonly Call[], timestamp: number): VirtualBlock {
    const { contract, head } = this;
    const number = head.number + 1;
    const mark = contract.undo.mark();
    contract.undo.set(contract, 'now', timestamp);
    contract.undo.set(contract, 'blockNumber', number);
    const inside = calls.map(({ transactionHash }) => transactionHash).join('');
    const hash = hash32(`${head.hash} ${number} ${timestamp} ${inside}`);
    const at: ChainBlock = { number, hash, timestamp };
    const facts: Fact[] = [];
    const logs: LogLocation[] = [];
    for (const [transactionIndex, call] of calls.entries()) {
      const events = contract.call((to) => call.run(to));
      this.#count(call, events !== undefined);
      for (const event of events ?? []) {
        const { transactionHash } = call;
        const position = { blockNumber: number, blockHash: hash, transactionHash };
        const logIndex = facts.length;
        logs.push({ ...position, transactionIndex, logIndex });
        const id = eventId(at, transactionIndex, logIndex);
        facts.push({ ...position, id, timestamp, logIndex, ...event });
      }
    }
    const block = { ...at, parentHash: head.hash, calls, facts, logs, mark };
    this.blocks.push(block);
    this.known.add(hash);
    this.highest = Math.max(this.highest, number);
    contract.undo.discardBefore(this.blocks.at(-UNDO_BLOCKS)?.mark ?? 0);
    return block;
  }

  /** Takes away the blocks above a height. @returns them, the lowest first. */
  rollBack(number: number): VirtualBlock[] {
    const removed = this.blocks.splice(number + 1);
    const [lowest] = removed;
    if (lowest !== undefined) this.contract.undo.backTo(lowest.mark);
    return removed;
  }

  #count({ name }: Call, taken: boolean): void {
    const count = this.counts.get(name) ?? { taken: 0, refused: 0 };
    this.counts.set(name, count);
    if (taken) count.taken += 1;
    else count.refused += 1;
  }
}

/** The number of the highest block that two chains have in common. */
export function commonBlock(one: readonly VirtualBlock[], other: readonly VirtualBlock[]): number {
  let number = Math.min(one.length, other.length) - 1;
  while (number > 0 && one[number]?.hash !== other[number]?.hash) number -= 1;
  return number;
}
