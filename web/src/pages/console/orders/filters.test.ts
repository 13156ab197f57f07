import { describe, expect, it } from 'vitest';
import { queryOf } from './filters.ts';

describe('the filter of orders', () => {
  it('asks for nothing in particular without fields', () => {
    expect(queryOf(new URLSearchParams('state=&sale=7'))).toEqual({});
  });

  it('passes the fields by the names of the API', () => {
    const params = new URLSearchParams(
      'q= %23579&state=pending&campaign=3&buyer= 0xabc &sku=0x1&key=0x2&min=12.5&max=20&order=highest',
    );
    expect(queryOf(params)).toEqual({
      q: '#579',
      state: 'pending',
      paidMin: '12.5',
      paidMax: '20',
      order: 'highest',
      campaignId: '3',
      buyer: '0xabc',
      skuHash: '0x1',
      orderKey: '0x2',
    });
  });

  it('includes both days of a period', () => {
    expect(queryOf(new URLSearchParams('from=2026-01-31&to=2026-01-31'))).toEqual({
      range: { from: '2026-01-31T00:00:00.000Z', to: '2026-02-01T00:00:00.000Z' },
    });
  });
});
