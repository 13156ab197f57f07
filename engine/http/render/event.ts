import type { z } from 'zod';
import type { ReceiptEvent } from '../../contract/shapes/receipt.ts';
import type { SaleEvent } from '../../db/read/sales/events.ts';
import { finalityOf, type ReadHead } from '../../db/read/snapshot.ts';
import type { ServedDeployment } from '../deps.ts';
import { isoTime } from './time.ts';
import { txRef } from './tx-ref.ts';

/** One event of a sale's history. */
export function receiptEvent(
  deployment: ServedDeployment,
  event: SaleEvent & { readonly campaignId: string },
  head: ReadHead,
): z.infer<typeof ReceiptEvent> {
  const { blockNumber, blockTimestamp: timestamp, transactionHash: hash } = event;
  return {
    ...eventLocation(event),
    name: event.name,
    args: { ...event.args },
    sequence: event.seq,
    at: isoTime(timestamp),
    tx: txRef(deployment, { hash, blockNumber, timestamp }),
    finality: finalityOf(head, blockNumber, event.campaignId),
  };
}

/** Location of an event on the chain. */
export function eventLocation(event: SaleEvent) {
  return {
    blockNumber: String(event.blockNumber),
    blockHash: event.blockHash,
    transactionHash: event.transactionHash,
    logIndex: event.logIndex,
  };
}
