import { expect, it } from 'vitest';
import { packed } from './packs.ts';

/** So many campaigns with so many facts each. */
const campaigns = (count: number, facts: number) =>
  new Map(Array.from({ length: count }, (_, i) => [String(i + 1), facts]));

const sizes = (jobs: readonly (readonly string[])[]) => jobs.map((job) => job.length);

it('puts campaigns with little to do into one job, and each into one only', () => {
  expect(packed(new Map())).toEqual([]);
  expect(packed(campaigns(3, 10))).toEqual([['1', '2', '3']]);
  expect(sizes(packed(campaigns(10, 25)))).toEqual([10]);
  expect(packed(campaigns(10, 30)).flat()).toEqual([...campaigns(10, 30).keys()]);
});

it('leaves alone what is a batch by itself, so that workers can take it side by side', () => {
  expect(sizes(packed(campaigns(4, 1_024)))).toEqual([1, 1, 1, 1]);
  expect(
    packed(
      new Map([
        ['big', 1_024],
        ['a', 3],
        ['b', 3],
      ]),
    ),
  ).toEqual([['big'], ['a', 'b']]);
});

it('makes larger jobs where there is more, of 64 campaigns and 1,024 facts at most', () => {
  expect(sizes(packed(campaigns(20, 100)))).toEqual(Array(10).fill(2));
  expect(sizes(packed(campaigns(1_000, 100)))).toEqual(Array(100).fill(10));
  expect(sizes(packed(campaigns(130, 0)))).toEqual([64, 64, 2]);
});
