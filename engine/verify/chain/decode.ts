import { type AbiParameter, BaseError, decodeEventLog, formatLog, type RpcLog } from 'viem';
import {
  type Address,
  type ChainEvent,
  type EventName,
  FactError,
  type Hex,
  readEvent,
} from '../../core/events.ts';
import type { EventPlace } from '../../core/receipt.ts';
import type { Evidence, Json } from '../types.ts';
import { eventOf } from './topics.ts';

/** One log of the contract, decoded. */
export type ChainLog<N extends EventName = EventName> = LogBase & Extract<ChainEvent, { name: N }>;

interface LogBase {
  readonly campaignId: string;
  readonly place: EventPlace;
  /** Its arguments in the form in which the indexer keeps them, campaignId left out. */
  readonly json: Evidence;
  readonly topics: readonly Hex[];
  readonly data: Hex;
}

/**
 * Decodes logs of the contract, oldest first. What another contract emitted, what a reorg removed
 * and what does not decode is left out: a log that cannot be read proves nothing.
 */
export function decodeLogs(logs: readonly RpcLog[], contractAddress: Address): ChainLog[] {
  return logs
    .filter((log) => log.address.toLowerCase() === contractAddress.toLowerCase())
    .flatMap((log) => decodeLog(log) ?? [])
    .sort(byPlace);
}

export function logsOf<N extends EventName>(
  logs: readonly ChainLog[],
  name: N,
): readonly ChainLog<N>[] {
  return logs.filter((log): log is ChainLog<N> => log.name === name);
}

/** Orders logs by where they stand on the chain. */
export function byPlace(a: { place: EventPlace }, b: { place: EventPlace }): number {
  const blocks = BigInt(a.place.blockNumber) - BigInt(b.place.blockNumber);
  if (blocks !== 0n) return blocks < 0n ? -1 : 1;
  return a.place.logIndex - b.place.logIndex;
}

function decodeLog(raw: RpcLog): ChainLog | undefined {
  const log = formatLog(raw);
  const { blockNumber, blockHash, transactionHash, logIndex, topics, data } = log;
  if (log.removed || blockNumber === null || blockHash === null) return undefined;
  if (transactionHash === null || logIndex === null) return undefined;
  const place = { blockNumber: blockNumber.toString(), blockHash, transactionHash, logIndex };
  const item = eventOf(topics[0]);
  if (item === undefined) return undefined;
  try {
    const { args } = decodeEventLog({ abi: [item], topics, data, strict: true });
    const { campaignId, ...json } = toJson(item.inputs, { ...args });
    if (typeof campaignId !== 'string') return undefined;
    return { ...readEvent(item.name, json), campaignId, place, json, topics, data };
  } catch (error) {
    if (error instanceof BaseError || error instanceof FactError) return undefined;
    throw error;
  }
}

/**
 * Decoded arguments as the indexer's JSON (`src/encode.ts`, which this folder may not import):
 * integers wider than 48 bits as digits, addresses and bytes in lower case, text as Postgres takes it.
 */
function toJson(parameters: readonly AbiParameter[], args: Readonly<Record<string, unknown>>) {
  const json: Record<string, Json> = {};
  for (const parameter of parameters) {
    const name = parameter.name ?? '';
    json[name] = valueToJson(parameter, args[name]);
  }
  return json;
}

function valueToJson(parameter: AbiParameter, value: unknown): Json {
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
