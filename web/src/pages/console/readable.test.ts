import { describe, expect, it } from 'vitest';
import { readable } from './readable.ts';

const token = { symbol: 'TUSD', decimals: 6 };
const read = (text: string) => readable(text, token).replace(/[\u00a0\u202f]/g, ' ');

describe('a sentence of the service', () => {
  it('shows amounts in whole tokens, exactly', () => {
    expect(read('The budget covers 3 more sales at 18750001 base units of TUSD.')).toBe(
      'The budget covers 3 more sales at 18.750001 TUSD.',
    );
    const address = `0x${'ab'.repeat(20)}`;
    expect(read(`Lets the contract take 5000000 base units of TUSD (${address}), for it.`)).toBe(
      'Lets the contract take 5.00 TUSD, for it.',
    );
    expect(read(`Deposits 5000000 base units of ${address} as rewards of campaign 3.`)).toBe(
      'Deposits 5.00 TUSD as rewards of campaign 3.',
    );
  });

  it('shows basis points in per cent, and leaves other numbers as they are', () => {
    expect(read('Version 3 for campaign 1: 1250 basis points of each sale.')).toBe(
      'Version 3 for campaign 1: 12.5 % of each sale.',
    );
  });
});
