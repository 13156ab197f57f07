import type { TxRef } from '../../contract/shapes/common.ts';
import type { TransactionLocation } from '../../db/read/campaigns/policy-rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { isoTime } from './time.ts';

/** Transaction with its page in the block explorer, if there is one. */
export function txRef({ explorerUrl }: ServedDeployment, place: TransactionLocation): TxRef {
  return {
    hash: place.hash,
    blockNumber: String(place.blockNumber),
    explorerUrl: explorerUrl === null ? null : `${explorerUrl}/tx/${place.hash}`,
    at: isoTime(place.timestamp),
  };
}
