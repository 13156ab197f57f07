import { describe, expect, it } from 'vitest';
import { headsOf } from './heads.ts';

const at = (number: string) => ({ number });

describe('the heads', () => {
  it('the heads return how far each part is behind the chain, none ahead of it', () => {
    const heads = headsOf({
      chain: at('120'),
      indexed: at('121'),
      settled: at('118'),
      safe: '90',
      finalized: '60',
    });
    expect(heads.map(({ name, block, behind }) => [name, block, behind])).toEqual([
      ['chain', 120n, 0n],
      ['indexed', 121n, 0n],
      ['settled', 118n, 2n],
      ['safe', 90n, 30n],
      ['finalized', 60n, 60n],
    ]);
  });

  it('the heads leave unknown lags empty', () => {
    const heads = headsOf({
      chain: null,
      indexed: null,
      settled: at('5'),
      safe: null,
      finalized: null,
    });
    expect(heads.map(({ behind }) => behind)).toEqual([null, null, null, null, null]);
    expect(heads[2]?.block).toBe(5n);
  });
});
