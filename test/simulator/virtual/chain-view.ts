import type { Chain, ChainBlock, ChainHead, ProvenBlock } from '../../../engine/chain/chain.ts';
import type { VirtualBlock, VirtualChain } from './chain.ts';
import { hash32 } from './hash.ts';
import { FINALIZED_DEPTH, SAFE_DEPTH, VirtualRpcs } from './rpc.ts';

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

/** Depth of settlement's own RPC client, so that both ways of checking are used. */
const PROVEN_DEPTH = 128;

/** Milliseconds that a tick of the feeder takes by its clock. */
export const TICK_MS = 250;

/** A virtual chain as settlement asks it. */
export class ChainView implements Chain {
  readonly chainId = 31_337;
  readonly startBlock = 0;
  readonly provenDepth = PROVEN_DEPTH;
  /** Four ticks of the feeder, which are its clock. */
  readonly restMs = 4 * TICK_MS;
  fault: RpcFault = 'none';
  /** Answers that a fault has changed or prevented. */
  touched = 0;
  /** True if answers come through the real client of RPCs. */
  isOverRpc = false;
  readonly rpcs: VirtualRpcs;
  #old: readonly VirtualBlock[] = [];

  constructor(
    readonly chain: VirtualChain,
    /** Whether the chain has the tags `safe` and `finalized`. */
    readonly tags: boolean,
  ) {
    this.rpcs = new VirtualRpcs(chain, tags);
  }

  /** Answers of the state of now from here on, as long as the fault is `lag`. */
  freeze(): void {
    this.#old = [...this.chain.blocks];
    this.fault = 'lag';
  }

  /** The client of RPCs, while no fault of this view takes its place. */
  get #rpc(): Chain | undefined {
    return this.isOverRpc && this.fault === 'none' ? this.rpcs.chain : undefined;
  }

  leftOut = () => this.rpcs.chain.leftOut?.() ?? [];

  head = async (): Promise<ChainHead> => {
    if (this.#rpc !== undefined) return await this.#rpc.head();
    const head = this.#blocks().at(-1);
    if (head === undefined) throw new Error('the chain has no block');
    return { ...blockOf(head), parentHash: head.parentHash };
  };

  blockAt = async (number: number): Promise<ChainBlock | null> => {
    if (this.#rpc !== undefined) return await this.#rpc.blockAt(number);
    const block = this.#blocks()[number];
    if (block === undefined) return null;
    if (this.fault !== 'wrongHash') return blockOf(block);
    this.touched += 1;
    return { ...blockOf(block), hash: hash32(`wrong ${block.hash}`) };
  };

  finality: Chain['finality'] = async () => {
    if (this.#rpc !== undefined) return await this.#rpc.finality();
    const head = this.#blocks().length - 1;
    if (!this.tags) return { safe: null, finalized: null };
    return { safe: Math.max(0, head - SAFE_DEPTH), finalized: Math.max(0, head - FINALIZED_DEPTH) };
  };

  logsOf: Chain['logsOf'] = async (from, to) => {
    if (this.#rpc !== undefined) return await this.#rpc.logsOf(from, to);
    const logs = this.#blocks()
      .slice(from, to + 1)
      .flatMap((block) => block.logs);
    if (logs.length === 0 || (this.fault !== 'emptyLogs' && this.fault !== 'shortLogs'))
      return { to, logs };
    this.touched += 1;
    return { to, logs: this.fault === 'emptyLogs' ? [] : logs.slice(0, -1) };
  };

  provenBlocks = async (from: number, to: number): Promise<readonly ProvenBlock[]> => {
    if (this.#rpc !== undefined) return await this.#rpc.provenBlocks(from, to);
    return this.#blocks()
      .slice(from, to + 1)
      .map((block) => ({ ...blockOf(block), parentHash: block.parentHash, logs: block.logs }));
  };

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
