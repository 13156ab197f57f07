import { RLP } from '@ethereumjs/rlp';
import { bytesToHex } from 'viem';
import type { Address, Hex } from '../../core/events.ts';
import { LOGS_MOST } from './limits.ts';

/** A log as a transaction receipt holds it. */
export interface ReceiptLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** What is no receipt, or one of a kind that this format does not know; the message says which. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
}

/** EIP-2718 types: 1 is EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. All have the same receipt. */
const TYPES_MOST = 4;
/** The first byte of an RLP list: what a receipt without a type begins with. */
const LIST = 0xc0;

/**
 * The logs of a transaction receipt, as the receipts trie holds it: RLP of [status or state root,
 * cumulative gas, bloom, logs], and a type in front of it, but for the first kind of transactions
 * (Yellow Paper, §4.3.1; EIP-658; EIP-2718).
 * @throws {ReceiptError} where it is none.
 */
export function readReceiptLogs(bytes: Uint8Array): ReceiptLog[] {
  const [first = 0] = bytes;
  const isTyped = first < LIST;
  if (isTyped && (first < 1 || first > TYPES_MOST)) {
    throw new ReceiptError(`is of type ${first}; types 0 to ${TYPES_MOST} are known`);
  }
  const fields = decode(isTyped ? bytes.subarray(1) : bytes);
  if (!Array.isArray(fields) || fields.length !== 4) throw new ReceiptError('is no receipt');
  const [status, , , logs]: unknown[] = fields;
  if (!isStatus(status) || !Array.isArray(logs)) throw new ReceiptError('is no receipt');
  if (logs.length > LOGS_MOST) throw new ReceiptError(`has more than ${LOGS_MOST} logs`);
  return logs.map(logOf);
}

function decode(bytes: Uint8Array): unknown {
  try {
    return RLP.decode(bytes);
  } catch {
    throw new ReceiptError('is no RLP');
  }
}

/** 0, 1, or before Byzantium the state's root. */
function isStatus(value: unknown): boolean {
  if (!(value instanceof Uint8Array)) return false;
  return value.length === 0 || (value.length === 1 && value[0] === 1) || value.length === 32;
}

function logOf(log: unknown): ReceiptLog {
  const [address, topics, data]: unknown[] = Array.isArray(log) && log.length === 3 ? log : [];
  const list: unknown[] = Array.isArray(topics) ? topics : [];
  if (!isBytes(address, 20) || !Array.isArray(topics) || list.length > 4 || !isBytes(data)) {
    throw new ReceiptError('has a log that is none');
  }
  return {
    address: bytesToHex(address),
    topics: list.map((topic) => {
      if (isBytes(topic, 32)) return bytesToHex(topic);
      throw new ReceiptError('has a topic that is none');
    }),
    data: bytesToHex(data),
  };
}

function isBytes(value: unknown, size?: number): value is Uint8Array {
  return value instanceof Uint8Array && (size === undefined || value.length === size);
}
