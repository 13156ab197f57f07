import { type AbiParameter, BaseError, decodeAbiParameters, formatLog, type RpcLog } from 'viem';
import {
  type Address,
  type ChainEvent,
  type EventName,
  FactError,
  type Hex,
  readEvent,
} from '../../core/events.ts';
import type { EventLocation } from '../../core/receipt.ts';
import type { Evidence, JsonValue } from '../types.ts';
import { decoderOf, type EventDecoder } from './topics.ts';

/** A decoded log of the contract. */
export type DecodedLog<N extends EventName = EventName> = LogBase &
  Extract<ChainEvent, { name: N }>;

interface LogBase {
  readonly campaignId: string;
  readonly location: EventLocation;
  /** Its arguments in the form in which the indexer stores them, without campaignId. */
  readonly json: Evidence;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/**
 * Decodes logs of the contract, oldest first. Logs of other contracts, logs that a reorg removed and logs
 * that do not decode are omitted: a log that cannot be read proves nothing.
 */
export function decodeLogs(logs: readonly RpcLog[], contractAddress: Address): DecodedLog[] {
  return logs
    .filter((log) => log.address.toLowerCase() === contractAddress.toLowerCase())
    .flatMap((log) => decodeLog(log) ?? [])
    .sort(byLocation);
}

/** The logs of one event. */
export function logsOf<N extends EventName>(
  logs: readonly DecodedLog[],
  name: N,
): readonly DecodedLog<N>[] {
  return logs.filter((log): log is DecodedLog<N> => log.name === name);
}

/** Compares logs by their location on the chain, for `sort`. */
export function byLocation(a: { location: EventLocation }, b: { location: EventLocation }): number {
  const blocks = BigInt(a.location.blockNumber) - BigInt(b.location.blockNumber);
  if (blocks !== 0n) return blocks < 0n ? -1 : 1;
  return a.location.logIndex - b.location.logIndex;
}

function decodeLog(raw: RpcLog): DecodedLog | undefined {
  const log = formatLog(raw);
  const { blockNumber, blockHash, transactionHash, logIndex, topics, data } = log;
  if (log.removed || blockNumber === null || blockHash === null) return undefined;
  if (transactionHash === null || logIndex === null) return undefined;
  const location = { blockNumber: blockNumber.toString(), blockHash, transactionHash, logIndex };
  const decoder = decoderOf(topics[0]);
  if (decoder === undefined) return undefined;
  const { item } = decoder;
  try {
    const { campaignId, ...json } = toJson(item.inputs, argumentsOf(decoder, log));
    if (typeof campaignId !== 'string') return undefined;
    return { ...readEvent(item.name, json), campaignId, location, json, topics, data };
  } catch (error) {
    if (error instanceof BaseError || error instanceof FactError) return undefined;
    throw error;
  }
}

/** @throws {BaseError} of viem, if topics or data do not decode. */
function argumentsOf(
  { indexed, plain }: EventDecoder,
  { topics, data }: Pick<RpcLog, 'topics' | 'data'>,
) {
  const args: Record<string, unknown> = {};
  const values: readonly unknown[] = plain.length === 0 ? [] : decodeAbiParameters(plain, data);
  for (const [i, { name }] of plain.entries()) args[name] = values[i];
  for (const [i, input] of indexed.entries()) {
    [args[input.name]] = decodeAbiParameters([input], topics[i + 1] ?? '0x');
  }
  return args;
}

/**
 * Decoded arguments as the indexer's JSON (`src/encode.ts`, which this folder may not import):
 * integers wider than 48 bits as digits, addresses and bytes in lower case, text as Postgres takes it.
 */
function toJson(parameters: readonly AbiParameter[], args: Readonly<Record<string, unknown>>) {
  const json: Record<string, JsonValue> = {};
  for (const parameter of parameters) {
    const name = parameter.name ?? '';
    json[name] = valueToJson(parameter, args[name]);
  }
  return json;
}

function valueToJson(parameter: AbiParameter, value: unknown): JsonValue {
  if (Array.isArray(value)) {
    const element = { ...parameter, type: parameter.type.replace(/\[\d*\]$/, '') };
    return value.map((entry: unknown) => valueToJson(element, entry));
  }
  if ('components' in parameter) return toJson(parameter.components, Object(value));
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  const text = String(value);
  if (parameter.type !== 'string') return text.toLowerCase();
  return text.replaceAll('\0', '\uFFFD').toWellFormed();
}
