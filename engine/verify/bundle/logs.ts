import { keccak256, numberToHex, type RpcLog, stringToBytes } from 'viem';
import { type Address, MAX_TIME } from '../../core/events.ts';
import { type DecodedLog, decodeLogs } from '../chain/decode.ts';
import { MAX_LOGS } from './limits.ts';
import type { ProvenReceipt } from './prove.ts';
import type { BundleEvent } from './types.ts';

/**
 * The contract's logs in proven receipts, oldest first, in the form that the checks of a sale take.
 *
 * A receipt holds neither its transaction's hash nor the index of its logs in the block. The checks
 * need both to distinguish transactions and to order logs, so each log has substitutes for them.
 * Only the proven fields, which `eventOf` returns, may leave this folder.
 */
export function logsIn(
  receipts: readonly ProvenReceipt[],
  contractAddress: Address,
): readonly DecodedLog[] {
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
      logIndex: numberToHex(transactionIndex * MAX_LOGS + position),
      removed: false,
    };
  });
}

/** True if all times of a log are ones that the contract accepts: others have no ISO 8601 form. */
function isInTime(log: DecodedLog): boolean {
  return timesOf(log).every((seconds) => seconds <= MAX_TIME);
}

function timesOf(log: DecodedLog): readonly number[] {
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

/** The proven fields of a log: name, arguments, and location by transaction. */
export function eventOf({ name, json, location }: DecodedLog): BundleEvent {
  const { blockNumber, blockHash, logIndex } = location;
  return {
    args: json,
    blockHash,
    blockNumber,
    logPosition: logIndex % MAX_LOGS,
    name,
    transactionIndex: Math.floor(logIndex / MAX_LOGS),
  };
}
