import { expect, it } from 'vitest';
import { RecentPushes } from './recent-pushes.ts';

const progress = (...pairs: readonly (readonly [string, string])[]) => new Map(pairs);

it('pushes a campaign without progress once, and again after two seconds', async () => {
  const pushed = new RecentPushes(async () => 0);
  const behind = progress(['1', 'block 7'], ['2', 'block 9']);
  expect(await pushed.campaignsToPush(behind, 0)).toEqual(['1', '2']);
  expect(await pushed.campaignsToPush(behind, 1)).toEqual([]);
  expect(await pushed.campaignsToPush(behind, 1_999)).toEqual([]);
  expect(await pushed.campaignsToPush(behind, 2_000)).toEqual(['1', '2']);
  expect(await pushed.campaignsToPush(behind, 2_001)).toEqual([]);
});

it('pushes no campaign again whose job may still wait, and asks the queue every two seconds', async () => {
  let queueReads = 0;
  let oldest = 2_500;
  const pushed = new RecentPushes(async () => {
    queueReads += 1;
    return oldest;
  });
  const behind = progress(['1', 'block 7']);
  expect(await pushed.campaignsToPush(behind, 0)).toEqual(['1']);
  expect(await pushed.campaignsToPush(behind, 2_500)).toEqual([]);
  expect(await pushed.campaignsToPush(behind, 4_400)).toEqual([]);
  expect(queueReads).toBe(1);
  expect(await pushed.campaignsToPush(behind, 4_500)).toEqual(['1']);
  expect(queueReads).toBe(2);
  oldest = 0;
  expect(await pushed.campaignsToPush(behind, 6_499)).toEqual([]);
  expect(await pushed.campaignsToPush(behind, 6_500)).toEqual(['1']);
});

it('pushes a campaign immediately if it made progress, is new, or had caught up in between', async () => {
  const pushed = new RecentPushes(async () => 0);
  expect(await pushed.campaignsToPush(progress(['1', 'block 7']), 0)).toEqual(['1']);
  expect(await pushed.campaignsToPush(progress(['1', 'block 8'], ['2', 'block 8']), 1)).toEqual([
    '1',
    '2',
  ]);
  expect(await pushed.campaignsToPush(progress(['2', 'block 8']), 2)).toEqual([]);
  expect(await pushed.campaignsToPush(progress(['1', 'block 8'], ['2', 'block 8']), 3)).toEqual([
    '1',
  ]);
});
