import { expect, it } from 'vitest';
import { readable } from './readable.ts';

const token = { symbol: 'TUSD', decimals: 6 };

it('writes base units as whole tokens, and times without milliseconds', () => {
  expect(
    readable('Of 64000000 base units, 1 base unit is due at 2026-01-02T03:04:05.000Z.', token),
  ).toBe('Of 64 TUSD, 0.000001 TUSD is due at 2026-01-02 03:04:05 UTC.');
});

it('keeps base units if the token is not known, and other numbers', () => {
  expect(readable('Sale 7 for 64000000 base units.', undefined)).toBe(
    'Sale 7 for 64000000 base units.',
  );
  expect(readable('Sale 64000000.', token)).toBe('Sale 64000000.');
});
