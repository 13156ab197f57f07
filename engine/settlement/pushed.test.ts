import { expect, it } from 'vitest';
import { Pushed } from './pushed.ts';

const standings = (...pairs: readonly (readonly [string, string])[]) => new Map(pairs);

it('takes a campaign once while it stands where it stood, and again after two seconds', () => {
  const pushed = new Pushed();
  const behind = standings(['1', 'block 7'], ['2', 'block 9']);
  expect(pushed.take(behind, 0)).toEqual(['1', '2']);
  expect(pushed.take(behind, 1)).toEqual([]);
  expect(pushed.take(behind, 1_999)).toEqual([]);
  expect(pushed.take(behind, 2_000)).toEqual(['1', '2']);
  expect(pushed.take(behind, 2_001)).toEqual([]);
});

it('takes at once what stands elsewhere, what is new, and what was level in between', () => {
  const pushed = new Pushed();
  expect(pushed.take(standings(['1', 'block 7']), 0)).toEqual(['1']);
  expect(pushed.take(standings(['1', 'block 8'], ['2', 'block 8']), 1)).toEqual(['1', '2']);
  expect(pushed.take(standings(['2', 'block 8']), 2)).toEqual([]);
  expect(pushed.take(standings(['1', 'block 8'], ['2', 'block 8']), 3)).toEqual(['1']);
});
