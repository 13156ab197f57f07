import { expect, it } from 'vitest';
import { PositionHistory } from './position-history.ts';

it('takes a replica to be as old as the newest position of the primary that it has replayed', () => {
  const history = new PositionHistory();
  expect(history.lagMs(1_000n, 0)).toBe(Number.POSITIVE_INFINITY);
  history.note(0, 100n);
  history.note(250, 200n);
  history.note(500, 300n);
  expect(history.lagMs(99n, 600)).toBe(Number.POSITIVE_INFINITY);
  expect(history.lagMs(100n, 600)).toBe(600);
  expect(history.lagMs(299n, 600)).toBe(350);
  expect(history.lagMs(300n, 600)).toBe(100);
  expect(history.lagMs(1_000n, 600)).toBe(100);
});

it('remembers a position at most every 50 ms, and forgets old ones', () => {
  const history = new PositionHistory();
  history.note(0, 100n);
  history.note(49, 200n);
  expect(history.lagMs(250n, 60)).toBe(60);
  history.note(50, 300n);
  expect(history.lagMs(300n, 60)).toBe(10);
  for (let i = 2; i <= 200; i += 1) history.note(i * 50, BigInt(100 * i + 300));
  expect(history.lagMs(100n, 10_000)).toBe(Number.POSITIVE_INFINITY);
  expect(history.lagMs(20_300n, 10_000)).toBe(0);
});

it('takes a replica of an idle primary to be as old as the newest position that was noted', () => {
  const history = new PositionHistory();
  for (let i = 0; i <= 10; i += 1) history.note(i * 250, 500n);
  expect(history.lagMs(500n, 2_600)).toBe(100);
});
