import type { Address } from '../core/events.ts';
import type { ReceiptFields } from '../core/receipt.ts';
import type { ChainAnswer } from './chain/answer.ts';
import { type DecodedLog, logsOf } from './chain/decode.ts';
import { fieldsOf } from './compare.ts';

/** The chain and contract that a verification reads, and what it found there. */
interface Asked {
  /** Chain id that the RPC returned. */
  readonly chainId: number;
  /** The contract that the reader named. */
  readonly contractAddress: Address;
  /** Hash of block 0 of the receipt's chain; `undefined` if it is not known. */
  readonly genesisHash: string | undefined;
  /** Hash of block 0 of the RPC's chain. */
  readonly firstBlock: ChainAnswer<string> | undefined;
  /** Events of the sale that the RPC returned. */
  readonly events: ChainAnswer<readonly DecodedLog[]>;
}

/**
 * The reason why an RPC or a contract says nothing about a receipt, as a sentence: they are of another chain
 * or contract. `undefined` if they can be compared. A receipt that names the transaction which the RPC found
 * is always compared: then a wrong chain id or contract in it is a lie.
 */
export function otherSubject(
  served: Readonly<Partial<Record<keyof ReceiptFields, unknown>>> | undefined,
  { chainId, contractAddress, genesisHash, firstBlock, events }: Asked,
): string | undefined {
  if (served === undefined || isSameSale(served, events)) return undefined;
  if (typeof served.chainId === 'number' && served.chainId !== chainId) {
    return `The receipt is of chain ${served.chainId}, and the RPC is of chain ${chainId}.`;
  }
  if (genesisHash !== undefined && firstBlock?.ok && !isSameHex(genesisHash, firstBlock.value)) {
    return `The RPC is of another chain with the id ${chainId}: its first block is ${firstBlock.value}, that of the receipt’s chain is ${genesisHash}.`;
  }
  const { contractAddress: named } = served;
  if (typeof named === 'string' && ADDRESS.test(named) && !isSameHex(named, contractAddress)) {
    return `The receipt is of contract ${named}, not of contract ${contractAddress}.`;
  }
  return undefined;
}

const ADDRESS = /^0x[0-9a-f]{40}$/i;

function isSameSale(served: { readonly record?: unknown }, events: Asked['events']): boolean {
  const [record] = events.ok ? logsOf(events.value, 'SaleRecorded') : [];
  const hash = fieldsOf(served.record)?.transactionHash;
  if (record === undefined || typeof hash !== 'string') return record !== undefined;
  return isSameHex(hash, record.location.transactionHash);
}

function isSameHex(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}
