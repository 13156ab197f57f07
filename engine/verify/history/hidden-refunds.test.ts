import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shareAfterRefund } from '../../core/split.ts';
import type { DecodedLog } from '../chain/decode.ts';
import { hiddenRefunds } from './hidden-refunds.ts';

function sale(amount: bigint, shares: readonly bigint[]) {
  return { name: 'SaleRecorded', args: { amount, shares } } as DecodedLog<'SaleRecorded'>;
}

function events(refundedTotal: bigint, ...more: string[]) {
  const refund = { name: 'SaleRefunded', args: { refundedTotal } };
  const list = [
    ...(refundedTotal > 0n ? [refund] : []),
    ...more.map((name) => ({ name, args: {} })),
  ];
  return list as unknown as readonly DecodedLog[];
}

it('finds every refund that leaves all rewards as they are, and no larger one', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 2n, max: 400n }),
      fc.array(fc.bigInt({ min: 0n, max: 60n }), { maxLength: 5 }),
      fc.bigInt({ min: 0n, max: 399n }),
      (amount, shares, refunded) => {
        fc.pre(refunded < amount && shares.reduce((a, b) => a + b, 0n) <= amount);
        const left = (total: bigint) =>
          shares.map((share) => shareAfterRefund(share, amount, total));
        const { most } = hiddenRefunds(sale(amount, shares), events(refunded, 'SaleFinalized'));
        let expected = 0n;
        while (
          refunded + expected + 1n < amount &&
          String(left(refunded + expected + 1n)) === String(left(refunded))
        ) {
          expected += 1n;
        }
        expect(most).toBe(expected);
      },
    ),
  );
});

it('finds no limit for a sale without rewards, and nothing before the finalization', () => {
  const direct = sale(1_000n, []);
  expect(hiddenRefunds(direct, events(0n, 'SaleFinalized'))).toEqual({
    most: 999n,
    isBounded: false,
  });
  expect(hiddenRefunds(direct, events(0n))).toEqual({ most: 0n, isBounded: true });
});
