import { expect, it } from 'vitest';
import { Pushed } from './pushed.ts';

const standings = (...pairs: readonly (readonly [string, string])[]) => new Map(pairs);

it('takes a campaign once while it stands where it stood, and again after two seconds', async () => {
  const pushed = new Pushed(async () => 0);
  const behind = standings(['1', 'block 7'], ['2', 'block 9']);
  expect(await pushed.take(behind, 0)).toEqual(['1', '2']);
  expect(await pushed.take(behind, 1)).toEqual([]);
  expect(await pushed.take(behind, 1_999)).toEqual([]);
  expect(await pushed.take(behind, 2_000)).toEqual(['1', '2']);
  expect(await pushed.take(behind, 2_001)).toEqual([]);
});

it('takes none again whose job may still wait, and asks every two seconds for how long one does', async () => {
  let asked = 0;
  let oldest = 2_500;
  const pushed = new Pushed(async () => {
    asked += 1;
    return oldest;
  });
  const behind = standings(['1', 'block 7']);
  expect(await pushed.take(behind, 0)).toEqual(['1']);
  expect(await pushed.take(behind, 2_500)).toEqual([]);
  expect(await pushed.take(behind, 4_400)).toEqual([]);
  expect(asked).toBe(1);
  expect(await pushed.take(behind, 4_500)).toEqual(['1']);
  expect(asked).toBe(2);
  oldest = 0;
  expect(await pushed.take(behind, 6_499)).toEqual([]);
  expect(await pushed.take(behind, 6_500)).toEqual(['1']);
});

it('takes at once what stands elsewhere, what is new, and what was level in between', async () => {
  const pushed = new Pushed(async () => 0);
  expect(await pushed.take(standings(['1', 'block 7']), 0)).toEqual(['1']);
  expect(await pushed.take(standings(['1', 'block 8'], ['2', 'block 8']), 1)).toEqual(['1', '2']);
  expect(await pushed.take(standings(['2', 'block 8']), 2)).toEqual([]);
  expect(await pushed.take(standings(['1', 'block 8'], ['2', 'block 8']), 3)).toEqual(['1']);
});
