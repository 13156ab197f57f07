import type { TxRef } from '../../contract/shapes/common.ts';
import type { TransactionPlace } from '../../db/read/policy-rows.ts';
import type { ServedDeployment } from '../deps.ts';
import { isoTime } from './time.ts';

/** A transaction, with its page in the block explorer where there is one. */
export function txRef({ explorerUrl }: ServedDeployment, place: TransactionPlace): TxRef {
  return {
    hash: place.hash,
    blockNumber: String(place.blockNumber),
    explorerUrl: explorerUrl === null ? null : `${explorerUrl}/tx/${place.hash}`,
    at: isoTime(place.timestamp),
  };
}
