import type { TxRef } from '../../contract/shapes/common.ts';
import type { TransactionLocation } from '../../db/read/campaigns/policy-rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { isoTime } from './time.ts';

/** Transaction with its page in the block explorer, if there is one. */
export function txRef({ explorerUrl }: ServedDeployment, transaction: TransactionLocation): TxRef {
  return {
    hash: transaction.hash,
    blockNumber: String(transaction.blockNumber),
    explorerUrl: explorerUrl === null ? null : `${explorerUrl}/tx/${transaction.hash}`,
    at: isoTime(transaction.timestamp),
  };
}
