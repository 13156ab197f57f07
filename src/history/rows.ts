import { type AbiEvent, decodeAbiParameters, type Hex, type RpcLog, toEventSelector } from 'viem';
import { encodeArgs } from '../encode.ts';
import { feedEvents } from '../events.ts';

/** A log of a mined block, as the RPC returns it. */
export type MinedLog = RpcLog & {
  readonly blockNumber: Hex;
  readonly blockHash: Hex;
  readonly transactionHash: Hex;
  readonly transactionIndex: Hex;
  readonly logIndex: Hex;
  /** Unix seconds; not every RPC returns it. */
  readonly blockTimestamp?: Hex;
};

/** Columns of `chain_event`, in the order of `copyLine`. */
export const COLUMNS = [
  ...['block_number', 'block_timestamp', 'transaction_index', 'log_index', 'campaign_id'],
  ...['block_hash', 'transaction_hash', 'name', 'args'],
];

interface EventDecoder {
  readonly event: AbiEvent;
  readonly indexed: AbiEvent['inputs'];
  readonly plain: AbiEvent['inputs'];
}

/** Decoders by first topic. viem's `decodeEventLog` would hash every signature of the ABI for each log. */
const decoders: ReadonlyMap<Hex, EventDecoder> = new Map(
  feedEvents.map((event) => [
    toEventSelector(event),
    {
      event,
      indexed: event.inputs.filter(({ indexed }) => indexed === true),
      plain: event.inputs.filter(({ indexed }) => indexed !== true),
    },
  ]),
);

/** First topics of the events that are indexed. */
export const selectors: readonly Hex[] = [...decoders.keys()];

/** The line of a log for `COPY … FROM STDIN`: the row that the handler in `src/index.ts` would insert. */
export function copyLine(log: MinedLog, timestamp: bigint): string {
  const { name, campaignId, args } = decode(log);
  // JSON has no tab and no line break of its own; a backslash is doubled for COPY's text format.
  const json = JSON.stringify(args).replaceAll('\\', '\\\\');
  const values = [
    ...[BigInt(log.blockNumber), timestamp, Number(log.transactionIndex), Number(log.logIndex)],
    ...[campaignId, log.blockHash, log.transactionHash, name, json],
  ];
  return `${values.join('\t')}\n`;
}

/**
 * Ponder's checkpoint that covers a whole block: time (10 digits), chain (16), block (16), and nines that are greater
 * than all its transactions and events.
 */
export function checkpointOf(
  block: { number: bigint; timestamp: bigint },
  chainId: number,
): string {
  const time = String(block.timestamp).padStart(10, '0');
  const [chain, number] = [chainId, block.number].map((value) => String(value).padStart(16, '0'));
  return `${time}${chain}${number}${'9'.repeat(33)}`;
}

function decode({ topics, data }: MinedLog) {
  const [selector, ...rest] = topics;
  const decoder = selector && decoders.get(selector);
  if (!decoder) throw new Error(`no event of the contract has the selector ${selector}`);
  const { event, indexed, plain } = decoder;
  const args: Record<string, unknown> = {};
  const values = decodeAbiParameters(plain, data);
  plain.forEach(({ name = '' }, i) => {
    args[name] = values[i];
  });
  indexed.forEach((input, i) => {
    args[input.name ?? ''] = decodeAbiParameters([input], rest[i] ?? '0x')[0];
  });
  // In the order of the ABI, as viem returns them to the handler.
  const encoded = encodeArgs(event.inputs, args);
  return { name: event.name, campaignId: encoded.campaignId, args: encoded };
}
