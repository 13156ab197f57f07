import { RLP } from '@ethereumjs/rlp';
import { hexToBytes } from 'viem';
import type { Hex } from '../../../core/events.ts';
import { fieldsOf } from '../../compare.ts';

/** Thrown if an answer of an RPC lacks a field or has one of another type. */
export class RpcShapeError extends Error {
  override readonly name = 'RpcShapeError';
}

type Fields = Readonly<Record<string, unknown>>;
type Kind = 'bytes' | 'integer';

/** A header's fields by the RPC's names, in the order of the Yellow Paper, section 4.4. */
const headerFields: readonly (readonly [string, Kind])[] = [
  ['parentHash', 'bytes'],
  ['sha3Uncles', 'bytes'],
  ['miner', 'bytes'],
  ['stateRoot', 'bytes'],
  ['transactionsRoot', 'bytes'],
  ['receiptsRoot', 'bytes'],
  ['logsBloom', 'bytes'],
  ['difficulty', 'integer'],
  ['number', 'integer'],
  ['gasLimit', 'integer'],
  ['gasUsed', 'integer'],
  ['timestamp', 'integer'],
  ['extraData', 'bytes'],
  ['mixHash', 'bytes'],
  ['nonce', 'bytes'],
];

/** Fields that forks of Ethereum appended, in that order: EIPs 1559, 4895, 4844, 4788, 7685. */
const laterFields: readonly (readonly [string, Kind])[] = [
  ['baseFeePerGas', 'integer'],
  ['withdrawalsRoot', 'bytes'],
  ['blobGasUsed', 'integer'],
  ['excessBlobGas', 'integer'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['requestsHash', 'bytes'],
];

/** Fields after the nonce in a header of Avalanche's C-Chain, whose forks appended others. */
const avalancheFields: typeof laterFields = [
  ['extDataHash', 'bytes'],
  ['baseFeePerGas', 'integer'],
  ['extDataGasUsed', 'integer'],
  ['blockGasCost', 'integer'],
  ['blobGasUsed', 'integer'],
  ['excessBlobGas', 'integer'],
  ['parentBeaconBlockRoot', 'bytes'],
  ['timestampMilliseconds', 'integer'],
  ['minDelayExcess', 'integer'],
];

/**
 * Encodes a block's header as RLP, from the block that `eth_getBlockByHash` returns.
 * @throws {RpcShapeError} if a field is missing or has another type.
 */
export function encodeHeader(block: Fields): Uint8Array {
  const fields = isGiven(block.extDataHash) ? avalancheFields : laterFields;
  const end = fields.findIndex(([name]) => !isGiven(block[name]));
  const later = end === -1 ? fields : fields.slice(0, end);
  return RLP.encode([...headerFields, ...later].map(([name, kind]) => fieldOf(block, name, kind)));
}

/**
 * Encodes a transaction receipt as the receipts trie holds it, from `eth_getTransactionReceipt`.
 * @throws {RpcShapeError} if a field is missing or has another type.
 */
export function encodeReceipt(receipt: Fields): Uint8Array {
  const { status, logs } = receipt;
  const type = receipt.type === undefined ? 0 : Number(hexOf(receipt, 'type'));
  const payload = RLP.encode([
    // Before Byzantium (EIP-658) this field was the state root.
    typeof status === 'string' ? fieldOf(receipt, 'status', 'integer') : fieldOf(receipt, 'root'),
    fieldOf(receipt, 'cumulativeGasUsed', 'integer'),
    fieldOf(receipt, 'logsBloom'),
    listOf(logs, 'logs').map((log) => logOf(fieldsOf(log) ?? {})),
    ...extraFields(type, receipt).map((name) => fieldOf(receipt, name, 'integer')),
  ]);
  return type === 0 ? payload : Uint8Array.from([type, ...payload]);
}

/** Fields after the logs in the receipts trie, by the RPC's names. */
function extraFields(type: number, receipt: Fields): string[] {
  // An RPC returns the nonce of each deposit since Regolith; the trie has it only with the version, since Canyon.
  if (type === 0x7e && isGiven(receipt.depositReceiptVersion)) {
    return ['depositNonce', 'depositReceiptVersion'];
  }
  return type === 0x7b && isGiven(receipt.baseFee) ? ['baseFee'] : [];
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function logOf(log: Fields) {
  const topics = listOf(log.topics, 'topics').map((topic) => fieldOf({ topic }, 'topic'));
  return [fieldOf(log, 'address'), topics, fieldOf(log, 'data')];
}

function fieldOf(fields: Fields, name: string, kind: Kind = 'bytes'): Uint8Array {
  const hex = hexOf(fields, name);
  if (kind === 'bytes') return hexToBytes(hex);
  const digits = BigInt(hex).toString(16);
  // RLP writes zero as no bytes at all.
  return digits === '0' ? new Uint8Array() : hexToBytes(`0x${digits}`);
}

function hexOf(fields: Fields, name: string): Hex {
  const value = fields[name];
  if (isHex(value)) return value;
  throw new RpcShapeError(`the RPC gave no ${name}`);
}

function isHex(value: unknown): value is Hex {
  return typeof value === 'string' && /^0x[0-9a-fA-F]*$/.test(value);
}

function listOf(value: unknown, name: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new RpcShapeError(`the RPC gave no list of ${name}`);
}
