import { describe, expect, it } from 'vitest';
import { accessTo } from './fulfillment.ts';

const sale = { state: 'pending', recordedAt: 1_000, holdUntil: 1_600 } as const;

describe('accessTo', () => {
  it('gives access from the purchase on', () => {
    const access = { available: true, availableFrom: 1_000 };
    expect(accessTo(sale, 'afterPurchase', 1_000)).toEqual(access);
  });

  it('gives access when the hold is over, to the second', () => {
    const from = { availableFrom: 1_600 };
    expect(accessTo(sale, 'afterHold', 1_599)).toEqual({ available: false, ...from });
    expect(accessTo(sale, 'afterHold', 1_600)).toEqual({ available: true, ...from });
  });

  it('ends access with a full refund and with a reversal', () => {
    for (const state of ['refunded', 'reversed'] as const) {
      const never = { available: false, availableFrom: null };
      expect(accessTo({ ...sale, state }, 'afterPurchase', 9_999)).toEqual(never);
    }
  });
});
