import type { Chain, ChainBlock, ChainHead, ProvenBlock } from '../../../engine/chain/chain.ts';
import type { VirtualBlock, VirtualChain } from './chain.ts';
import { hash32 } from './hash.ts';

/** Fault of the RPC that settlement uses. */
export type RpcFault =
  | 'none'
  /** No answer. */
  | 'down'
  /** Every answer is of an older state of the chain, which may be of a fork that is gone. */
  | 'lag'
  /** Blocks asked for by number come with another hash. */
  | 'wrongHash'
  /** `eth_getLogs` answers without its last log. */
  | 'shortLogs'
  /** `eth_getLogs` answers no log. */
  | 'emptyLogs';

/** Blocks behind the head that have the tags `safe` and `finalized`, on chains with tags. */
const SAFE_DEPTH = 12;
const FINALIZED_DEPTH = 32;

/** Depth of settlement's own RPC client, so that both ways of checking are used. */
const PROVEN_DEPTH = 128;

/** A virtual chain as settlement asks it. */
export class ChainView implements Chain {
  readonly chainId = 31_337;
  readonly startBlock = 0;
  readonly provenDepth = PROVEN_DEPTH;
  /** Ticks of the feeder, which are its clock. */
  readonly restMs = 4;
  fault: RpcFault = 'none';
  /** Answers that a fault has changed or prevented. */
  touched = 0;
  #old: readonly VirtualBlock[] = [];

  constructor(
    readonly chain: VirtualChain,
    /** Whether the chain has the tags `safe` and `finalized`. */
    readonly tags: boolean,
  ) {}

  /** Answers of the state of now from here on, as long as the fault is `lag`. */
  freeze(): void {
    this.#old = [...this.chain.blocks];
    this.fault = 'lag';
  }

  head = async (): Promise<ChainHead> => {
    const head = this.#blocks().at(-1);
    if (head === undefined) throw new Error('the chain has no block');
    return { ...blockOf(head), parentHash: head.parentHash };
  };

  blockAt = async (number: number): Promise<ChainBlock | null> => {
    const block = this.#blocks()[number];
    if (block === undefined) return null;
    if (this.fault !== 'wrongHash') return blockOf(block);
    this.touched += 1;
    return { ...blockOf(block), hash: hash32(`wrong ${block.hash}`) };
  };

  finality: Chain['finality'] = async () => {
    const head = this.#blocks().length - 1;
    if (!this.tags) return { safe: null, finalized: null };
    return { safe: Math.max(0, head - SAFE_DEPTH), finalized: Math.max(0, head - FINALIZED_DEPTH) };
  };

  logsOf: Chain['logsOf'] = async (from, to) => {
    const logs = this.#blocks()
      .slice(from, to + 1)
      .flatMap((block) => block.logs);
    if (logs.length === 0 || (this.fault !== 'emptyLogs' && this.fault !== 'shortLogs'))
      return { to, logs };
    this.touched += 1;
    return { to, logs: this.fault === 'emptyLogs' ? [] : logs.slice(0, -1) };
  };

  provenBlocks = async (from: number, to: number): Promise<readonly ProvenBlock[]> =>
    this.#blocks()
      .slice(from, to + 1)
      .map((block) => ({ ...blockOf(block), parentHash: block.parentHash, logs: block.logs }));

  #blocks(): readonly VirtualBlock[] {
    if (this.fault === 'down') {
      this.touched += 1;
      throw new Error('the virtual RPC does not answer');
    }
    if (this.fault !== 'lag') return this.chain.blocks;
    if (this.#old.at(-1)?.hash !== this.chain.head.hash) this.touched += 1;
    return this.#old;
  }
}

function blockOf({ number, hash, timestamp }: VirtualBlock): ChainBlock {
  return { number, hash, timestamp };
}
