import { expect, it } from 'vitest';
import { eventText } from './event-text.ts';

const token = { symbol: 'TUSD', decimals: 6 };

it('says with a finalization how much was refunded before', () => {
  const finalized = (refundedTotal: string) =>
    eventText({ name: 'SaleFinalized', args: { saleId: '7', refundedTotal } }, token);
  expect(finalized('0')).toBe(
    'The sale was finalized without a refund. It can no longer be refunded.',
  );
  expect(finalized('1500000')).toBe(
    'The sale was finalized after refunds of 1.50\u00a0TUSD. It can no longer be refunded.',
  );
});
