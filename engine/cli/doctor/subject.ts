import { numberToHex } from 'viem';
import type { Hex } from '../../core/events.ts';
import type { ChainValues } from '../../env.ts';
import type { Answer, Asker } from './asker.ts';

/** The chain and contract that RPCs are examined for, as far as they are known. */
export type Expected = Partial<Omit<ChainValues, 'rpcUrls'>>;

/** A block as an RPC returned it, without what is in it. */
export interface SeenBlock {
  readonly number: number;
  readonly hash: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly logsBloom: string;
  readonly transactions: readonly Hex[];
}

/** An RPC that answers and is of the chain, and the blocks that its abilities are tried on. */
export interface Subject {
  readonly asker: Asker;
  readonly chainId: number;
  readonly expected: Expected;
  /** The contract, or an address without logs. */
  readonly address: Hex;
  /** The newest block. */
  readonly head: SeenBlock;
  /** Newest block that is tried: each RPC near the head has it. */
  readonly newest: number;
}

/** An address that has no contract and no key, so that ranges are tried on few logs. */
export const ADDRESS_WITHOUT_LOGS: Hex = '0x00000000000000000000000000000000dead0001';

/** A block in an answer; `undefined` if it is none. */
export function blockIn(answer: Answer): SeenBlock | undefined {
  if (answer.kind !== 'value') return undefined;
  const { number, hash, timestamp, logsBloom, transactions } = Object(answer.value);
  if (!isHash(hash) || !isQuantity(number) || !isQuantity(timestamp)) return undefined;
  const list: readonly unknown[] = Array.isArray(transactions) ? transactions : [];
  return {
    number: Number(number),
    hash,
    timestamp: Number(timestamp),
    logsBloom: String(logsBloom),
    transactions: list.filter(isHash),
  };
}

/** An answer without a value, or with `null`, as "no"; `undefined` for any other value. */
export function failureIn(answer: Answer): Exclude<Answer, { kind: 'value' }> | undefined {
  if (answer.kind !== 'value') return answer;
  return answer.value == null ? { kind: 'no', reason: 'answers null' } : undefined;
}

/** A request for a block by its number. */
export function blockRequest(number: number) {
  return { method: 'eth_getBlockByNumber', params: [numberToHex(number), false] };
}

/** A count with separators of thousands. */
export function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

function isHash(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{64}$/i.test(value);
}

/** True for a number as an RPC writes it, of up to 52 bits. */
export function isQuantity(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-f]{1,13}$/i.test(value);
}
