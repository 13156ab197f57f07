import type { TxRef } from '../../contract/shapes/common.ts';
import type { Hex } from '../../core/events.ts';
import type { TransactionLocation } from '../../db/read/campaigns/policy-rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { isoTime } from './time.ts';

/** Transaction with its page in the block explorer, if there is one. */
export function txRef(deployment: ServedDeployment, transaction: TransactionLocation): TxRef {
  return {
    hash: transaction.hash,
    blockNumber: String(transaction.blockNumber),
    explorerUrl: explorerUrlOf(deployment, transaction.hash),
    at: isoTime(transaction.timestamp),
  };
}

/** Page of a transaction in the block explorer; `null` if no explorer is configured. */
export function explorerUrlOf({ explorerUrl }: ServedDeployment, hash: Hex): string | null {
  return explorerUrl === null ? null : `${explorerUrl}/tx/${hash}`;
}
