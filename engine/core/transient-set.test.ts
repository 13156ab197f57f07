import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { TransientSet } from './transient-set.ts';

describe('a set of objects that come and go', () => {
  it('returns its items in the order in which they came', () => {
    const set = new TransientSet<string>();
    for (const item of ['a', 'b', 'c', 'd']) set.add(item);
    expect([set.delete('b'), set.delete('b'), set.delete('x')]).toEqual([true, false, false]);
    set.add('e');
    expect([...set]).toEqual(['a', 'c', 'd', 'e']);
    expect(set.size).toBe(4);
  });

  it('returns the items that it removes, and can be filled again', () => {
    const set = new TransientSet<number>();
    for (const item of [1, 2]) set.add(item);
    expect(set.clear()).toEqual([1, 2]);
    expect(set.size).toBe(0);
    set.add(3);
    expect([...set]).toEqual([3]);
  });

  it('lets young collections free what has gone', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void;
    setFlagsFromString('--no-expose-gc');
    const set = new TransientSet<{ readonly bytes: number[] }>();
    const running: { readonly bytes: number[] }[] = [];
    collect({ type: 'major' });
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < 30_000; i += 1) {
      const item = { bytes: new Array<number>(128).fill(i) };
      set.add(item);
      running.push(item);
      const ended = running.length > 100 ? running.shift() : undefined;
      if (ended !== undefined) set.delete(ended);
      if (i % 1_000 === 0) collect({ type: 'minor' });
    }
    collect({ type: 'minor' });
    expect(set.size).toBe(100);
    // All items together have 30 MiB.
    expect((process.memoryUsage().heapUsed - before) / 2 ** 20).toBeLessThan(6);
  });
});
