import { RLP } from '@ethereumjs/rlp';
import { bytesToHex, hexToBytes, keccak256 } from 'viem';
import { type Hex, MAX_TIME } from '../../core/events.ts';

/** The fields of a header that verifying a bundle reads. */
export interface Header {
  /** keccak-256 of the RLP: the block's hash. */
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly receiptsRoot: Hex;
  readonly number: bigint;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** Fields of a header before the London fork; later forks only append fields. */
const MIN_FIELDS = 15;

/**
 * Reads a header from its RLP (Yellow Paper, section 4.4). Fields that later forks appended are part of the
 * hash, but are not read. Returns `undefined` if it is no header.
 */
export function readHeader(rlp: Hex): Header | undefined {
  const fields = listOf(rlp);
  if (fields === undefined || fields.length < MIN_FIELDS) return undefined;
  const [parentHash, , , , , receiptsRoot] = fields;
  const number = integerOf(fields[8]);
  const timestamp = integerOf(fields[11]);
  if (!isHash(parentHash) || !isHash(receiptsRoot)) return undefined;
  if (number === undefined || timestamp === undefined || timestamp > MAX_TIME) return undefined;
  return {
    hash: keccak256(rlp),
    parentHash: bytesToHex(parentHash),
    receiptsRoot: bytesToHex(receiptsRoot),
    number,
    timestamp: Number(timestamp),
  };
}

function listOf(rlp: Hex): readonly unknown[] | undefined {
  try {
    const decoded: unknown = RLP.decode(hexToBytes(rlp));
    return Array.isArray(decoded) ? decoded : undefined;
  } catch {
    return undefined;
  }
}

function isHash(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === 32;
}

/** An integer of up to 8 bytes, big-endian, without zeros in front. */
function integerOf(value: unknown): bigint | undefined {
  if (!(value instanceof Uint8Array) || value.length > 8 || value[0] === 0) return undefined;
  return value.length === 0 ? 0n : BigInt(bytesToHex(value));
}
