import { describe, expect, it } from 'vitest';
import { mergeRecent, type RecentRow } from './merge.ts';

const keyOf = (sale: number) => String(sale);

function described(rows: readonly RecentRow<number>[]) {
  return rows.map(({ sale, change }) => `${sale}${change === undefined ? '' : ` ${change}`}`);
}

const first = mergeRecent([], [5, 4, 3], keyOf);

describe('mergeRecent', () => {
  it('marks no row of the first list', () => {
    expect(described(first)).toEqual(['5', '4', '3']);
  });

  it('marks new rows, and drops rows that fell off the end', () => {
    const next = mergeRecent(first, [6, 5, 4], keyOf);
    expect(described(next)).toEqual(['6 new', '5', '4']);
    expect(described(mergeRecent(next, [7, 6, 5], keyOf))).toEqual(['7 new', '6 new', '5']);
  });

  it('shows removed sales, marked, until they are on the chain again', () => {
    const next = mergeRecent(first, [4, 3, 2], keyOf);
    expect(described(next)).toEqual(['5 gone', '4', '3', '2 new']);
    expect(described(mergeRecent(next, [5, 4, 3], keyOf))).toEqual(['5 new', '4', '3']);
  });
});
