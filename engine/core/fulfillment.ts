import type { SaleState } from './fold/state.ts';

/** Time at which a buyer's access begins: with the sale, or when its hold is over. */
export type AccessTiming = 'afterPurchase' | 'afterHold';

/** Timing of a product that names none. */
export const DEFAULT_ACCESS_TIMING = 'afterPurchase' satisfies AccessTiming;

/** Parts of a sale that decide about access to what was bought; times in Unix seconds. */
export interface BoughtSale {
  readonly state: SaleState;
  readonly recordedAt: number;
  readonly holdUntil: number;
}

/** A buyer's access to what was bought. */
export interface Access {
  readonly available: boolean;
  /** Unix seconds; `null` if there will never be access. */
  readonly availableFrom: number | null;
}

/**
 * A buyer's access to what was bought. A sale that was refunded in full or reversed gives none; a
 * partial refund changes nothing.
 * @param clock Unix seconds of the block that is read.
 */
export function accessTo(sale: BoughtSale, timing: AccessTiming, clock: number): Access {
  if (sale.state === 'refunded' || sale.state === 'reversed') {
    return { available: false, availableFrom: null };
  }
  const availableFrom = timing === 'afterHold' ? sale.holdUntil : sale.recordedAt;
  return { available: clock >= availableFrom, availableFrom };
}
