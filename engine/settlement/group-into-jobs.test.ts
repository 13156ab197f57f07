import { expect, it } from 'vitest';
import { groupIntoJobs } from './group-into-jobs.ts';

/** A number of campaigns with the same number of facts each. */
const campaigns = (count: number, facts: number) =>
  new Map(Array.from({ length: count }, (_, i) => [String(i + 1), facts]));

const sizes = (jobs: readonly (readonly string[])[]) => jobs.map((job) => job.length);

it('puts campaigns with little to do into one job, and each campaign into one job only', () => {
  expect(groupIntoJobs(new Map())).toEqual([]);
  expect(groupIntoJobs(campaigns(3, 10))).toEqual([['1', '2', '3']]);
  expect(sizes(groupIntoJobs(campaigns(10, 25)))).toEqual([10]);
  expect(groupIntoJobs(campaigns(10, 30)).flat()).toEqual([...campaigns(10, 30).keys()]);
});

it('gives a campaign that fills a batch its own job, so that workers can run in parallel', () => {
  expect(sizes(groupIntoJobs(campaigns(4, 1_024)))).toEqual([1, 1, 1, 1]);
  expect(
    groupIntoJobs(
      new Map([
        ['big', 1_024],
        ['a', 3],
        ['b', 3],
      ]),
    ),
  ).toEqual([['big'], ['a', 'b']]);
});

it('makes larger jobs if there is more to do, of at most 64 campaigns and 1,024 facts', () => {
  expect(sizes(groupIntoJobs(campaigns(20, 100)))).toEqual(Array(10).fill(2));
  expect(sizes(groupIntoJobs(campaigns(1_000, 100)))).toEqual(Array(100).fill(10));
  expect(sizes(groupIntoJobs(campaigns(130, 0)))).toEqual([64, 64, 2]);
});
