import { keccak256, numberToHex, type RpcLog, stringToBytes } from 'viem';
import type { Address } from '../../core/events.ts';
import { type ChainLog, decodeLogs } from '../chain/decode.ts';
import { LATEST_TIME, LOGS_MOST } from './limits.ts';
import type { ProvenReceipt } from './prove.ts';
import type { BundleEvent } from './types.ts';

/**
 * The contract's logs in proven receipts, oldest first, as the checks of a sale take them.
 *
 * A receipt holds neither its transaction's hash nor the place of its logs in the block. The checks
 * want them to tell transactions apart and to order logs, so each log carries stand-ins that serve
 * for that; `eventOf` gives what is proven, and nothing else may leave this folder.
 */
export function logsIn(
  receipts: readonly ProvenReceipt[],
  contractAddress: Address,
): readonly ChainLog[] {
  return decodeLogs(receipts.flatMap(rpcLogs), contractAddress).filter(isInTime);
}

function rpcLogs({ blockNumber, blockHash, transactionIndex, logs }: ProvenReceipt): RpcLog[] {
  const transactionHash = keccak256(stringToBytes(`${blockHash}/${transactionIndex}`));
  return logs.flatMap(({ address, topics: [selector, ...indexed], data }, position) => {
    if (selector === undefined) return [];
    return {
      address,
      topics: [selector, ...indexed],
      data,
      blockNumber: numberToHex(BigInt(blockNumber)),
      blockHash,
      transactionHash,
      transactionIndex: numberToHex(transactionIndex),
      logIndex: numberToHex(transactionIndex * LOGS_MOST + position),
      removed: false,
    };
  });
}

/** Whether its times are such as the protocol knows: others have no ISO 8601 form. */
function isInTime(log: ChainLog): boolean {
  return timesOf(log).every((seconds) => seconds <= LATEST_TIME);
}

function timesOf(log: ChainLog): readonly number[] {
  switch (log.name) {
    case 'CampaignCreated':
      return [log.args.startsAt, log.args.endsAt];
    case 'PolicyScheduled':
      return [log.args.effectiveAt, log.args.policy.expiry];
    case 'SaleRecorded':
      return [log.args.holdUntil];
    default:
      return [];
  }
}

/** A log where it is proven to stand. */
export function eventOf({ name, json, place }: ChainLog): BundleEvent {
  const { blockNumber, blockHash, logIndex } = place;
  return {
    args: json,
    blockHash,
    blockNumber,
    logPosition: logIndex % LOGS_MOST,
    name,
    transactionIndex: Math.floor(logIndex / LOGS_MOST),
  };
}
