import { type Hex, toHex } from 'viem';
import type { Request } from '../../support/reorg.ts';
import type { Call } from './call.ts';
import type { Market } from './market.ts';

/** Gas that any call of the contract does with. */
export const CALL_GAS = 4_000_000n;

/** Blocks behind the head that are final to Ponder on chain 31337: it cannot roll them back. */
const FINALITY_BLOCKS = 30;

/** Which calls stand in which block, so that a reorg can put them elsewhere. */
export class Chronicle {
  readonly #blocks = new Map<number, Request[]>();
  #highest: number;

  constructor(readonly market: Market) {
    this.#highest = market.firstBlock;
  }

  record(blockNumber: number, request: Request): void {
    this.#blocks.set(blockNumber, [...(this.#blocks.get(blockNumber) ?? []), request]);
  }

  /** Notes how far the chain has been: what is so far below it can never be replaced. */
  async reached(): Promise<number> {
    const head = Number(await this.market.chain.client.getBlockNumber());
    this.#highest = Math.max(this.#highest, head);
    return head;
  }

  /** How many blocks a reorg may replace now; 0 where none. */
  async deepest(): Promise<number> {
    const head = await this.reached();
    const lowest = Math.max(this.market.firstBlock, this.#highest - FINALITY_BLOCKS + 1);
    return Math.max(0, head - lowest);
  }

  /** The calls of the blocks above one, each with its block; they are forgotten. */
  takeAbove(blockNumber: number): { blockNumber: number; request: Request }[] {
    const above = [...this.#blocks].filter(([number]) => number > blockNumber);
    for (const [number] of above) this.#blocks.delete(number);
    return above
      .sort(([a], [b]) => a - b)
      .flatMap(([number, requests]) =>
        requests.map((request) => ({ blockNumber: number, request })),
      );
  }
}

/** A call as a transaction that anvil signs and sends. */
export function requestOf({ chain }: Market, call: Call): Request {
  const gas: Hex = toHex(CALL_GAS);
  return { from: call.from, to: call.to ?? chain.contract, data: call.data, gas };
}
