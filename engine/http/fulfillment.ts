import { type Access, type AccessTiming, accessTo } from '../core/fulfillment.ts';
import type { SaleView } from '../db/read/sale-rows.ts';
import type { ReadHead } from '../db/read/snapshot.ts';

/** How a sale is delivered, and whether its buyer gets it at the block read. */
export interface Delivery {
  readonly mode: 'download' | 'external' | 'manual';
  readonly timing: AccessTiming;
  readonly access: Access;
}

/** A product that nobody described is delivered by its merchant, from the purchase on (design §7). */
export function deliveryOf(sale: SaleView, { timestamp }: ReadHead): Delivery {
  const mode = sale.product?.fulfillmentMode ?? 'manual';
  const timing = sale.product?.accessTiming ?? 'afterPurchase';
  const { state, holdUntil } = sale;
  const bought = { state, holdUntil, recordedAt: sale.record.timestamp };
  return { mode, timing, access: accessTo(bought, timing, timestamp) };
}
