import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeLists, type Position, type Source } from './merge-lists.ts';

/** A list, newest item first, whose cursors name the last item of a page. */
class Feed {
  items: number[];
  isAway = false;

  constructor(
    readonly key: string,
    items: readonly number[],
  ) {
    this.items = [...items].sort((a, b) => b - a);
  }

  source(positions: ReadonlyMap<string, Position>): Source<number> {
    return {
      key: this.key,
      position: positions.get(this.key) ?? { cursor: undefined, isDone: false },
      read: async (cursor, limit) => {
        if (this.isAway) return undefined;
        const rest = this.items.filter((item) => cursor === undefined || item < Number(cursor));
        const items = rest.slice(0, limit);
        return { items, nextCursor: rest.length > limit ? String(items.at(-1)) : null };
      },
    };
  }
}

const newestFirst = (one: number, other: number) => other - one;

interface ReadOptions {
  /** Called before each page but the first. */
  readonly between?: (page: number) => void;
  readonly inTurns?: boolean;
}

/** Reads all pages. */
async function readAll(
  feeds: readonly Feed[],
  limit: number,
  { between = () => {}, inTurns = false }: ReadOptions = {},
) {
  const read: { key: string; item: number }[] = [];
  let positions: ReadonlyMap<string, Position> = new Map();
  for (let page = 1; page < 500; page += 1) {
    const sources = feeds.map((feed) => feed.source(positions));
    const merged = await mergeLists(sources, limit, inTurns ? undefined : newestFirst);
    expect(merged.items.length).toBeLessThanOrEqual(limit);
    if (!inTurns) {
      const page = merged.items.map(({ item }) => item);
      expect(page).toEqual([...page].sort(newestFirst));
    }
    read.push(...merged.items);
    ({ positions } = merged);
    if (feeds.every(({ key }) => positions.get(key)?.isDone)) return read;
    between(page);
  }
  throw new Error('The list does not end.');
}

const lists = fc.array(fc.uniqueArray(fc.integer({ min: 1, max: 1_000 }), { maxLength: 30 }), {
  minLength: 1,
  maxLength: 4,
});

describe('mergeLists', () => {
  it('returns every item of every list once, each page in the order of all', async () => {
    await fc.assert(
      fc.asyncProperty(lists, fc.integer({ min: 1, max: 9 }), async (all, limit) => {
        const feeds = all.map((items, index) => new Feed(`f${index}`, items));
        const read = await readAll(feeds, limit);
        const expected = all.flat().sort(newestFirst);
        expect(read.map(({ item }) => item).sort(newestFirst)).toEqual(expected);
      }),
    );
  });

  it('returns every item in the order of all if there is one list', async () => {
    const read = await readAll([new Feed('a', [5, 9, 7]), new Feed('b', [])], 2);
    expect(read.map(({ item }) => item)).toEqual([9, 7, 5]);
  });

  it('gives one list at most half of a page while another one has items', async () => {
    const newest = new Feed(
      'a',
      Array.from({ length: 30 }, (_, index) => 1_000 + index),
    );
    const read = await readAll([newest, new Feed('b', [5, 4, 3, 2])], 5);
    const keys = read.map(({ key }) => key);
    expect(keys.slice(0, 5)).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(keys.slice(5, 10)).toEqual(['a', 'a', 'a', 'b', 'b']);
    expect(keys.slice(10)).toEqual(Array.from({ length: 24 }, () => 'a'));
  });

  it('returns every item once if the lists take turns', async () => {
    const feeds = [new Feed('a', [9, 8, 7, 6]), new Feed('b', [30, 20])];
    const read = await readAll(feeds, 3, { inTurns: true });
    expect(read.map(({ item }) => item).sort(newestFirst)).toEqual([30, 20, 9, 8, 7, 6]);
    expect(read.slice(0, 3).map(({ key }) => key)).toEqual(['a', 'b', 'a']);
  });

  it('returns no item twice and hides none while newer ones are added and lists are away', async () => {
    await fc.assert(
      fc.asyncProperty(
        lists,
        fc.integer({ min: 1, max: 5 }),
        fc.array(fc.nat({ max: 3 }), { minLength: 200, maxLength: 200 }),
        async (all, limit, dice) => {
          const feeds = all.map((items, index) => new Feed(`f${index}`, items));
          let newest = 2_000;
          const between = (page: number) => {
            for (const [index, feed] of feeds.entries()) {
              const die = page > 150 ? 0 : dice[(page * 5 + index) % dice.length];
              feed.isAway = die === 1;
              newest += 1;
              if (die === 2) feed.items.unshift(newest);
            }
          };
          const read = await readAll(feeds, limit, { between });
          const texts = read.map(({ key, item }) => `${key} ${item}`);
          expect(new Set(texts).size).toBe(texts.length);
          const before = all.flatMap((items, index) => items.map((item) => `f${index} ${item}`));
          expect(texts).toEqual(expect.arrayContaining(before));
        },
      ),
      { numRuns: 50 },
    );
  });

  it('drops the part of a list that goes away between its two reads, and returns it later', async () => {
    const feed = new Feed('a', [5, 3, 1]);
    const other = new Feed('b', [4, 2]);
    const source = feed.source(new Map());
    let reads = 0;
    const leaving = {
      ...source,
      read: async (cursor: string | undefined, limit: number) => {
        reads += 1;
        return reads === 1 ? await source.read(cursor, limit) : undefined;
      },
    };
    const { items, positions } = await mergeLists(
      [leaving, other.source(new Map())],
      2,
      newestFirst,
    );
    expect(items).toEqual([{ key: 'b', item: 4 }]);
    expect(positions.has('a')).toBe(false);
  });
});
