import {
  type Access,
  type AccessTiming,
  accessTo,
  DEFAULT_ACCESS_TIMING,
} from '../../../core/fulfillment.ts';
import type { SaleView } from '../../../db/read/sales/rows.ts';
import type { ReadHead } from '../../../db/read/snapshot.ts';

/** Delivery mode of a sale, and whether its buyer has access at the block read. */
export interface Delivery {
  readonly mode: 'download' | 'external' | 'manual';
  readonly timing: AccessTiming;
  readonly access: Access;
}

/** Delivery of a sale. A product without a description is delivered by its merchant, from the purchase on. */
export function deliveryOf(sale: SaleView, { timestamp }: ReadHead): Delivery {
  const mode = sale.product?.fulfillmentMode ?? 'manual';
  const timing = sale.product?.accessTiming ?? DEFAULT_ACCESS_TIMING;
  const { state, holdUntil } = sale;
  const bought = { state, holdUntil, recordedAt: sale.record.timestamp };
  return { mode, timing, access: accessTo(bought, timing, timestamp) };
}
