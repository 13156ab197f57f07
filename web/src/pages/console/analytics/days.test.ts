import { describe, expect, it } from 'vitest';
import { changeOf, daysBefore } from './days.ts';

describe('a period of days', () => {
  it('ends with the day that has begun, in UTC', () => {
    expect(daysBefore(new Date('2026-03-01T00:00:00Z'), 1)).toEqual({
      from: '2026-03-01T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    });
    expect(daysBefore(new Date('2026-03-01T23:59:59.999Z'), 30)).toEqual({
      from: '2026-01-31T00:00:00.000Z',
      to: '2026-03-02T00:00:00.000Z',
    });
  });
});

describe('a change between two periods', () => {
  it('shows a percentage of the period before', () => {
    expect(changeOf(112n, 100n)).toBe('+12\u00a0%');
    expect(changeOf(50n, 200n)).toBe('−75\u00a0%');
    expect(changeOf(7n, 7n)).toBe('±0\u00a0%');
  });

  it('calls a number new that was nearly nothing before', () => {
    expect(changeOf(855n, 1n)).toBe('new');
    expect(changeOf(999n, 100n)).toBe('+899\u00a0%');
  });

  it('shows nothing if there was nothing before', () => {
    expect(changeOf(5n, 0n)).toBeUndefined();
  });
});
