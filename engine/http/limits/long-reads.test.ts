import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { closePool, openPool } from '../../db/connection.ts';
import { LongReads } from './long-reads.ts';

/** It never connects, because these reads send nothing. */
const pool = openPool('postgres://nobody@127.0.0.1:1/none', { max: 2 });
afterAll(() => closePool(pool, 0));

/** Reads that end when the test says so. */
class HeldReads {
  readonly started: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  constructor(readonly reads: LongReads) {}

  async run(name: string): Promise<string> {
    return await this.reads.run(async () => {
      this.started.push(name);
      await new Promise<void>((resolve, reject) => {
        this.#ends.set(name, (error) => (error === undefined ? resolve() : reject(error)));
      });
      return name;
    });
  }

  end(name: string, error?: Error): void {
    this.#ends.get(name)?.(error);
  }
}

test('runs as many reads as there are connections, and the others in their order', async () => {
  const held = new HeldReads(new LongReads(pool));
  const all = ['a', 'b', 'c', 'd', 'e'].map((name) => held.run(name));
  await setTimeout(10);
  expect(held.started).toEqual(['a', 'b']);
  held.end('b');
  expect(await all[1]).toBe('b');
  expect(held.started).toEqual(['a', 'b', 'c']);
  held.end('a', new Error('a failed'));
  await expect(all[0]).rejects.toThrow('a failed');
  expect(held.started).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) held.end(name);
  await setTimeout(10);
  held.end('e');
  expect(await Promise.all(all.slice(2))).toEqual(['c', 'd', 'e']);
  const again = ['f', 'g', 'h'].map((name) => held.run(name));
  await setTimeout(10);
  expect(held.started.slice(5)).toEqual(['f', 'g']);
  held.end('f');
  held.end('g');
  await setTimeout(10);
  held.end('h');
  await Promise.all(again);
});

test('rejects a read if too many wait already', async () => {
  const held = new HeldReads(new LongReads(pool, { maxWaiting: 1 }));
  const all = ['a', 'b', 'c'].map((name) => held.run(name));
  await expect(held.run('d')).rejects.toMatchObject({ code: 'NOT_READY' });
  held.end('a');
  await all[0];
  const e = held.run('e');
  for (const name of ['b', 'c']) held.end(name);
  await setTimeout(10);
  held.end('e');
  expect(await Promise.all([...all, e])).toEqual(['a', 'b', 'c', 'e']);
});

test('rejects a read that waits too long, and never runs it', async () => {
  const held = new HeldReads(new LongReads(pool, { maxWaitMs: 20 }));
  const all = ['a', 'b'].map((name) => held.run(name));
  await expect(held.run('late')).rejects.toMatchObject({ code: 'NOT_READY' });
  for (const name of ['a', 'b']) held.end(name);
  await Promise.all(all);
  const next = held.run('next');
  await setTimeout(10);
  expect(held.started).toEqual(['a', 'b', 'next']);
  held.end('next');
  await next;
});
