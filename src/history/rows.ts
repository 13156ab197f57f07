import type { Hex, RpcLog } from 'viem';
import { decodeEvent } from './decode.ts';

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

/** The line of a log for `COPY … FROM STDIN`: the row that the handler in `src/index.ts` would insert. */
export function copyLine(log: MinedLog, timestamp: bigint): string {
  const { name, args } = decodeEvent(log);
  // JSON has no tab and no line break of its own; a backslash is doubled for COPY's text format.
  const json = JSON.stringify(args).replaceAll('\\', '\\\\');
  const values = [
    ...[BigInt(log.blockNumber), timestamp, Number(log.transactionIndex), Number(log.logIndex)],
    ...[args.campaignId, log.blockHash, log.transactionHash, name, json],
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
