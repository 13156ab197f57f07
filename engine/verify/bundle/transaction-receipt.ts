import { RLP } from '@ethereumjs/rlp';
import { bytesToHex } from 'viem';
import type { Address, Hex } from '../../core/events.ts';
import { MAX_LOGS } from './limits.ts';

/** A log as a transaction receipt holds it. */
export interface ReceiptLog {
  readonly address: Address;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/** Thrown for bytes that are no receipt, or one of an unknown type; the message continues a sentence. */
export class ReceiptError extends Error {
  override readonly name = 'ReceiptError';
}

/** Largest EIP-2718 type: 1 is EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702. All have the same receipt. */
const MAX_TYPES = 4;
/** Lowest first byte of an RLP list, with which a receipt without a type begins. */
const LIST = 0xc0;

/**
 * Reads the logs of a transaction receipt in the form of the receipts trie: RLP of [status or state root,
 * cumulative gas, bloom, logs], preceded by a type except for legacy transactions
 * (Yellow Paper, section 4.3.1; EIP-658; EIP-2718).
 * @throws {ReceiptError} if the bytes are no receipt.
 */
export function readReceiptLogs(bytes: Uint8Array): ReceiptLog[] {
  const [first = 0] = bytes;
  const isTyped = first < LIST;
  if (isTyped && (first < 1 || first > MAX_TYPES)) {
    throw new ReceiptError(`is of type ${first}; types 0 to ${MAX_TYPES} are known`);
  }
  const fields = decode(isTyped ? bytes.subarray(1) : bytes);
  if (!Array.isArray(fields) || fields.length !== 4) throw new ReceiptError('is no receipt');
  const [status, , , logs]: unknown[] = fields;
  if (!isStatus(status) || !Array.isArray(logs)) throw new ReceiptError('is no receipt');
  if (logs.length > MAX_LOGS) throw new ReceiptError(`has more than ${MAX_LOGS} logs`);
  return logs.map(logOf);
}

function decode(bytes: Uint8Array): unknown {
  try {
    return RLP.decode(bytes);
  } catch {
    throw new ReceiptError('is no RLP');
  }
}

/** True for 0, 1, or, before Byzantium, the state root. */
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
