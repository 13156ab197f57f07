import { bytesToHex, hexToBytes, keccak256, numberToHex, TimeoutError } from 'viem';
import type { Chain, LogLocation } from '../../../engine/chain/chain.ts';
import { chainFromRpc } from '../../../engine/chain/rpc-chain.ts';
import type { Hex } from '../../../engine/core/events.ts';
import { type RpcAnswer, type RpcRequest, TOO_LATE } from '../../support/rpc-traits/trait.ts';
import type { Dice } from '../dice.ts';
import { Provider } from '../parts/rpc-traits.ts';
import type { VirtualBlock, VirtualChain } from './chain.ts';
import { accountOf, hash32 } from './hash.ts';

const CONTRACT = accountOf('the contract');
const EVENT = hash32('the only event');
const CHAIN_ID = 8_453;
const OTHER_CHAIN_ID = 1;

/** Blocks behind the head that have the tags `safe` and `finalized`, on chains with tags. */
export const SAFE_DEPTH = 12;
export const FINALIZED_DEPTH = 32;

/** How an RPC of another chain differs. */
export type OtherChain = 'id' | 'blocks';

/** A virtual chain behind an address: `fetch` answers as an RPC does, without a network. */
export class VirtualRpc {
  /** Traits of the RPC; without them it answers everything. */
  provider: Provider | undefined;
  /** True if it does not respond. */
  isDown = false;
  /** Set while an RPC of another chain is behind the address. */
  other: OtherChain | undefined;
  /** Responses that were not those of a good RPC of the chain. */
  touched = 0;
  readonly url: string;

  constructor(
    private readonly chain: VirtualChain,
    /** Whether the chain has the tags `safe` and `finalized`. */
    private readonly tags: boolean,
  ) {
    this.url = serveAt(this);
  }

  async serve(body: string): Promise<Response> {
    if (this.isDown) {
      this.touched += 1;
      throw new TypeError('fetch failed');
    }
    if (this.other !== undefined) this.touched += 1;
    const before = sumOf(this.provider);
    const response = await this.#respond(JSON.parse(body));
    if (sumOf(this.provider) > before) this.touched += 1;
    return response;
  }

  async #respond(posted: RpcRequest | RpcRequest[]): Promise<Response> {
    const { provider } = this;
    const requests = Array.isArray(posted) ? posted : [posted];
    const http = provider?.http(requests);
    if (http !== undefined) return new Response(http.body, http);
    const answers: RpcAnswer[] = [];
    for (const request of requests) {
      const ask = async (one: RpcRequest) => ({ jsonrpc: '2.0', id: one.id, ...this.#result(one) });
      answers.push(await (provider?.answer(request, ask) ?? ask(request)));
    }
    if (answers.some(({ result }) => result === TOO_LATE)) {
      throw new TimeoutError({ body: {}, url: this.url });
    }
    const isBatch = Array.isArray(posted);
    const text = provider?.text(answers, isBatch) ?? JSON.stringify(isBatch ? answers : answers[0]);
    return new Response(text, { headers: { 'content-type': 'application/json' } });
  }

  #result({ method, params: [first] = [] }: RpcRequest): { result: unknown } | { error: object } {
    switch (method) {
      case 'eth_chainId':
        return { result: numberToHex(this.other === 'id' ? OTHER_CHAIN_ID : CHAIN_ID) };
      case 'eth_getBlockByNumber':
        return this.#block(String(first));
      case 'eth_getLogs':
        return { result: this.#logs(Object(first)).map(rpcLog) };
      case 'eth_getBlockReceipts': {
        const block = this.chain.blocks.findLast(({ hash }) => hash === first);
        return { result: block === undefined ? null : receiptsOf(block) };
      }
      case 'eth_getTransactionReceipt': {
        const has = ({ transactionHash }: { transactionHash: Hex }) => transactionHash === first;
        const block = this.chain.blocks.findLast(({ calls }) => calls.some(has));
        return { result: block === undefined ? null : receiptsOf(block).find(has) };
      }
      default:
        return { error: { code: -32_601, message: `the method ${method} does not exist` } };
    }
  }

  #block(at: string): { result: unknown } | { error: object } {
    const head = this.chain.blocks.length - 1;
    const depths: Record<string, number> = {
      latest: 0,
      safe: SAFE_DEPTH,
      finalized: FINALIZED_DEPTH,
    };
    const depth = depths[at];
    if (!this.tags && depth !== undefined && at !== 'latest') {
      return { error: { code: -32_602, message: `unsupported block tag ${at}` } };
    }
    const block = this.chain.blocks[depth === undefined ? Number(at) : Math.max(0, head - depth)];
    return { result: block === undefined ? null : rpcBlock(block, this.other === 'blocks') };
  }

  #logs({ fromBlock, toBlock, blockHash }: Record<string, string>): readonly LogLocation[] {
    const blocks =
      blockHash === undefined
        ? this.chain.blocks.slice(Number(fromBlock), Number(toBlock) + 1)
        : this.chain.blocks.filter(({ hash }) => hash === blockHash);
    return blocks.flatMap(({ logs }) => logs);
  }
}

/** The chain over two RPCs, as settlement reads it. */
export class VirtualRpcs {
  readonly first: VirtualRpc;
  readonly second: VirtualRpc;
  readonly chain: Chain;

  constructor(chain: VirtualChain, tags: boolean) {
    this.first = new VirtualRpc(chain, tags);
    this.second = new VirtualRpc(chain, tags);
    this.chain = chainFromRpc({
      ...{ chainId: CHAIN_ID, rpcUrls: [this.first.url, this.second.url], startBlock: 1 },
      ...{ contractAddress: CONTRACT, eventSelectors: [EVENT] },
      // As the database records it at the first start.
      genesisHash: genesisOf(chain),
    });
  }

  get touched(): number {
    return this.first.touched + this.second.touched;
  }

  /** Gives both RPCs some traits; the first may be away, and the second of another chain meanwhile. */
  break(dice: Dice): void {
    this.first.provider = Provider.picked(dice.fork());
    if (dice.chance(60)) this.second.provider = Provider.picked(dice.fork());
    if (dice.chance(40)) this.second.other = dice.pick(['id', 'blocks'] as const);
    this.first.isDown = dice.chance(30);
  }

  /** Takes all of that away, and lets the second RPC be compared again, which takes a minute otherwise. */
  async recover(): Promise<void> {
    this.mend();
    this.first.isDown = true;
    await this.chain.head();
    this.first.isDown = false;
  }

  /** Takes all of that away. */
  mend(): void {
    for (const rpc of [this.first, this.second]) {
      rpc.provider = undefined;
      rpc.other = undefined;
      rpc.isDown = false;
    }
  }
}

function genesisOf({ blocks: [genesis] }: VirtualChain): Hex {
  if (genesis === undefined) throw new Error('The chain has no first block.');
  return genesis.hash;
}

function sumOf(provider: Provider | undefined): number {
  return [...(provider?.hits.values() ?? [])].reduce((sum, hits) => sum + hits, 0);
}

function rpcBlock(
  { number, hash, parentHash, timestamp, calls, logs }: VirtualBlock,
  isOther: boolean,
) {
  return {
    number: numberToHex(number),
    hash: isOther ? hash32(`other ${hash}`) : hash,
    parentHash,
    timestamp: numberToHex(timestamp),
    logsBloom: logs.length > 0 ? BLOOM_OF_EVENT : BLOOM_OF_OTHERS,
    transactions: calls.map(({ transactionHash }) => transactionHash),
  };
}

function receiptsOf({ hash, calls, logs }: VirtualBlock) {
  return calls.map(({ transactionHash }) => ({
    ...{ blockHash: hash, transactionHash },
    logs: logs.filter((log) => log.transactionHash === transactionHash).map(rpcLog),
  }));
}

function rpcLog(log: LogLocation) {
  return {
    ...{ address: CONTRACT, topics: [EVENT], data: '0x', removed: false },
    ...{ blockHash: log.blockHash, transactionHash: log.transactionHash },
    blockNumber: numberToHex(log.blockNumber),
    transactionIndex: numberToHex(log.transactionIndex),
    logIndex: numberToHex(log.logIndex),
  };
}

/** A bloom of 2,048 bits with the given values (Yellow Paper, section 4.3.1). */
function bloomOf(...values: readonly Hex[]): Hex {
  const bloom = new Uint8Array(256);
  for (const hash of values.map((value) => hexToBytes(keccak256(value)))) {
    for (const at of [0, 2, 4]) {
      const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2_047;
      const octet = 255 - (bit >> 3);
      bloom[octet] = (bloom[octet] ?? 0) | (1 << (bit & 7));
    }
  }
  return bytesToHex(bloom);
}

const BLOOM_OF_EVENT = bloomOf(CONTRACT, EVENT);
const BLOOM_OF_OTHERS = bloomOf(hash32('another contract'));

/** The RPCs by their address; they live as long as the process. */
const served = new Map<string, VirtualRpc>();

/** Lets `fetch` reach an RPC. @returns its address. */
function serveAt(rpc: VirtualRpc): string {
  if (served.size === 0) {
    const real = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const found = served.get(String(input));
      return found === undefined ? await real(input, init) : await found.serve(String(init?.body));
    };
  }
  const url = `http://rpc-${served.size}.invalid/`;
  served.set(url, rpc);
  return url;
}
