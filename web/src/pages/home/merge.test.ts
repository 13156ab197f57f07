import { describe, expect, it } from 'vitest';
import { mergeRecent, type RecentRow } from './merge.ts';

const keyOf = (sale: number) => String(sale);

function told(rows: readonly RecentRow<number>[]) {
  return rows.map(({ sale, change }) => `${sale}${change === undefined ? '' : ` ${change}`}`);
}

const first = mergeRecent([], [5, 4, 3], keyOf);

describe('mergeRecent', () => {
  it('marks nothing of the first list', () => {
    expect(told(first)).toEqual(['5', '4', '3']);
  });

  it('marks what came, and lets what fell off the end go', () => {
    const next = mergeRecent(first, [6, 5, 4], keyOf);
    expect(told(next)).toEqual(['6 new', '5', '4']);
    expect(told(mergeRecent(next, [7, 6, 5], keyOf))).toEqual(['7 new', '6 new', '5']);
  });

  it('keeps what was taken back in sight, marked, until it is on the chain again', () => {
    const next = mergeRecent(first, [4, 3, 2], keyOf);
    expect(told(next)).toEqual(['5 gone', '4', '3', '2 new']);
    expect(told(mergeRecent(next, [5, 4, 3], keyOf))).toEqual(['5 new', '4', '3']);
  });
});
