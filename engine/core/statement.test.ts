import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultEdges, maxPeriods, movementsBetween, periodEdges } from './statement.ts';

const at = (iso: string) => Date.parse(iso) / 1_000;
const iso = (edges: readonly number[] | undefined) =>
  edges?.map((edge) => new Date(edge * 1_000).toISOString().slice(0, 16));

describe('the periods of a statement', () => {
  it('widens a range to whole months, across a year and a leap day', () => {
    const range = { from: at('2023-12-31T23:59:59Z'), to: at('2024-02-29T12:00:00Z') };
    expect(iso(periodEdges('month', range))).toEqual([
      '2023-12-01T00:00',
      '2024-01-01T00:00',
      '2024-02-01T00:00',
      '2024-03-01T00:00',
    ]);
  });

  it('adds no period after a range that ends at midnight', () => {
    const range = { from: at('2024-02-28T00:00:00Z'), to: at('2024-03-01T00:00:00Z') };
    expect(iso(periodEdges('day', range))).toEqual([
      '2024-02-28T00:00',
      '2024-02-29T00:00',
      '2024-03-01T00:00',
    ]);
  });

  it('gives an empty range the period that it is in', () => {
    const moment = at('2024-02-28T00:00:00Z');
    expect(iso(periodEdges('day', { from: moment, to: moment }))).toEqual([
      '2024-02-28T00:00',
      '2024-02-29T00:00',
    ]);
  });

  it.each([
    ['day', '2024-12-31T00:00:00Z', '2025-01-01T00:00:00Z', '2025-01-01T00:00:01Z'],
    ['month', '2024-01-01T00:00:00Z', '2028-12-31T00:00:00Z', '2029-01-01T00:00:01Z'],
  ] as const)('refuses more %ss than the limit', (interval, _start, end, over) => {
    const from = at('2024-01-01T00:00:00Z');
    expect(periodEdges(interval, { from, to: at(end) })).toHaveLength(maxPeriods[interval] + 1);
    expect(periodEdges(interval, { from, to: at(over) })).toBeUndefined();
  });

  it('refuses times that a response cannot show', () => {
    expect(periodEdges('day', { from: -1, to: 0 })).toBeUndefined();
    const late = at('9999-01-01T00:00:00Z');
    expect(periodEdges('month', { from: late - 1, to: late })).toHaveLength(2);
    expect(periodEdges('month', { from: late, to: late + 1 })).toBeUndefined();
  });

  it('ends with the period of the clock if no range is named', () => {
    const clock = at('2024-03-31T10:00:00Z');
    const days = iso(defaultEdges('day', clock));
    expect([days?.[0], days?.at(-1), days?.length]).toEqual([
      ...['2024-03-02T00:00', '2024-04-01T00:00'],
      31,
    ]);
    const months = iso(defaultEdges('month', clock));
    expect([months?.[0], months?.at(-1), months?.length]).toEqual([
      ...['2023-04-01T00:00', '2024-04-01T00:00'],
      13,
    ]);
  });
});

describe('the movements of a period', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 30n });
  const balances = fc.record({
    ...{ reserved: amount, claimable: amount, claimed: amount, refunded: amount },
    reversed: amount,
  });

  it('lead from the opening to the closing balance of each bucket', () => {
    fc.assert(
      fc.property(balances, balances, (opening, closing) => {
        const { earned, refunded, vested, claimed, reversed } = movementsBetween(opening, closing);
        expect({
          reserved: opening.reserved + earned - refunded - vested,
          claimable: opening.claimable + vested - claimed - reversed,
          claimed: opening.claimed + claimed,
          refunded: opening.refunded + refunded,
          reversed: opening.reversed + reversed,
        }).toEqual(closing);
      }),
    );
  });
});
