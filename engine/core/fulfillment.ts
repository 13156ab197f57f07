import type { SaleState } from './fold/state.ts';

/** Whether access begins with the sale or when its hold is over. */
export type AccessTiming = 'afterPurchase' | 'afterHold';

/** A sale, times in unix seconds. */
export interface BoughtSale {
  readonly state: SaleState;
  readonly recordedAt: number;
  readonly holdUntil: number;
}

export interface Access {
  readonly available: boolean;
  /** Unix seconds; `null` where it never will be. */
  readonly availableFrom: number | null;
}

/**
 * Whether a buyer gets what was bought. Never after the sale was refunded in full, or reversed; a
 * part that was given back takes nothing away.
 * @param clock unix seconds of the block read.
 */
export function accessTo(sale: BoughtSale, timing: AccessTiming, clock: number): Access {
  if (sale.state === 'refunded' || sale.state === 'reversed') {
    return { available: false, availableFrom: null };
  }
  const availableFrom = timing === 'afterHold' ? sale.holdUntil : sale.recordedAt;
  return { available: clock >= availableFrom, availableFrom };
}
