import { expect, it } from 'vitest';
import { readable } from './readable.ts';

const token = { symbol: 'TUSD', decimals: 6 };

it('writes base units as whole tokens, and times without milliseconds', () => {
  expect(
    readable('Of 64000000 base units, 1 base unit is due at 2026-01-02T03:04:05.000Z.', token),
  ).toBe('Of 64 TUSD, 0.000001 TUSD is due at 2026-01-02 03:04:05 UTC.');
});

it('writes a symbol that acts on a terminal as its codes', () => {
  const hostile = { symbol: '\u001b[2J pass \u001b[8m', decimals: 6 };
  expect(readable('It is 1000000 base units.', hostile)).toBe(
    'It is 1 \\u{1b}[2J pass \\u{1b}[8m.',
  );
  expect(readable('The receipt has \u202efield.', undefined)).toBe(
    'The receipt has \\u{202e}field.',
  );
});

it('keeps base units if the token is not known, and other numbers', () => {
  expect(readable('Sale 7 for 64000000 base units.', undefined)).toBe(
    'Sale 7 for 64000000 base units.',
  );
  expect(readable('Sale 64000000.', token)).toBe('Sale 64000000.');
});
