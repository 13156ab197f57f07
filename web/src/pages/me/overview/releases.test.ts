import { describe, expect, it } from 'vitest';
import { releasesOf } from './releases.ts';

const TUSD = { address: '0xa', symbol: 'TUSD', decimals: 6 };
const RVC = { address: '0xb', symbol: 'RVC', decimals: 18 };

const held = (token: typeof TUSD, reserved: string, holdUntil: string, over = false) => ({
  token,
  reserved,
  holdUntil,
  readyToFinalize: over,
});

describe('releasesOf', () => {
  it('sums the rewards of a day and token, and orders them by time', () => {
    expect(
      releasesOf([
        held(TUSD, '5', '2026-01-02T10:00:00.000Z'),
        held(TUSD, '7', '2026-01-01T23:59:59.000Z'),
        held(RVC, '1', '2026-01-02T09:00:00.000Z'),
        held(TUSD, '9007199254740993', '2026-01-02T08:00:00.000Z'),
      ]),
    ).toEqual([
      { day: '2026-01-01', at: '2026-01-01T23:59:59.000Z', token: TUSD, amount: 7n, rewards: 1 },
      {
        ...{ day: '2026-01-02', at: '2026-01-02T08:00:00.000Z', token: TUSD },
        ...{ amount: 9007199254740998n, rewards: 2 },
      },
      { day: '2026-01-02', at: '2026-01-02T09:00:00.000Z', token: RVC, amount: 1n, rewards: 1 },
    ]);
  });

  it('leaves out rewards whose hold is over', () => {
    expect(releasesOf([held(TUSD, '5', '2026-01-02T10:00:00.000Z', true)])).toEqual([]);
  });
});
