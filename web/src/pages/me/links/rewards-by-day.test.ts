import { expect, it } from 'vitest';
import { rewardsByDay } from './rewards-by-day.ts';

const reward = (recordedAt: string, share: string, released = '0', reversed = '0') => ({
  ...{ recordedAt, share, released, reversed },
});

it('sums the rewards of each day, less refunds and reversals', () => {
  expect(
    rewardsByDay(
      ['2026-01-01', '2026-01-02', '2026-01-03'],
      [
        reward('2026-01-01T23:59:59.000Z', '9007199254740993'),
        reward('2026-01-01T00:00:00.000Z', '10', '4'),
        reward('2026-01-03T12:00:00.000Z', '7', '0', '7'),
        reward('2026-01-04T12:00:00.000Z', '100'),
      ],
    ),
  ).toEqual([9007199254740999n, 0n, 0n]);
});
