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

/** Fields of every receipt: status or state root, cumulative gas, bloom, logs. */
const COMMON_FIELDS = 4;
/** Types whose receipts have these fields alone: EIPs 2930, 1559, 4844, 7702, those of Arbitrum and of Polygon. */
const PLAIN_TYPES = [1, 2, 3, 4, 0x64, 0x65, 0x66, 0x68, 0x69, 0x6a, 0x7c, 0x7f];
/**
 * Known EIP-2718 types, with the numbers of integers that may follow the common fields: after a deposit of the
 * OP stack its nonce and version (both since Canyon), after a Celo transaction with a fee currency (CIP-64) the
 * base fee (since Celo is an L2).
 */
const EXTRA_FIELDS = new Map<number, readonly number[]>([
  ...PLAIN_TYPES.map((type): [number, readonly number[]] => [type, [0]]),
  [0x7b, [0, 1]],
  [0x7e, [0, 2]],
]);
/** Lowest first byte of an RLP list, with which a receipt without a type begins. */
const LIST = 0xc0;

/**
 * Reads the logs of a transaction receipt in the form of the receipts trie: RLP of [status or state root,
 * cumulative gas, bloom, logs] and what its type adds, preceded by the type except for legacy transactions
 * (Yellow Paper, section 4.3.1; EIP-658; EIP-2718).
 * @throws {ReceiptError} if the bytes are no receipt.
 */
export function readReceiptLogs(bytes: Uint8Array): ReceiptLog[] {
  const [first = 0] = bytes;
  const isTyped = first < LIST;
  const counts = isTyped ? EXTRA_FIELDS.get(first) : [0];
  if (counts === undefined) throw new ReceiptError(`is of type ${first}, which is not known`);
  const fields = decode(isTyped ? bytes.subarray(1) : bytes);
  if (!Array.isArray(fields)) throw new ReceiptError('is no receipt');
  const [status, , , logs, ...extra]: unknown[] = fields;
  const isWhole = fields.length === COMMON_FIELDS + extra.length && counts.includes(extra.length);
  if (!isWhole || !extra.every(isInteger)) throw new ReceiptError('is no receipt');
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

/** True for an integer of up to 32 bytes, big-endian, without zeros in front. */
function isInteger(value: unknown): boolean {
  return value instanceof Uint8Array && value.length <= 32 && value[0] !== 0;
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
