import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compose, composeOnce, type NamedFragments } from '../../engine/db/compose.ts';
import { type Fragment, openPool, type Pool, type Sql } from '../../engine/db/connection.ts';
import { campaignList } from '../../engine/db/read/campaigns/list.ts';
import { receiptRead } from '../../engine/db/read/sales/receipt.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 1 });
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The rows of a statement that is put together, and of the same by the driver alone. */
async function rowsOf(put: (sql: Sql) => Fragment): Promise<{ ours: object[]; driver: object[] }> {
  const { texts, parameters } = compose(pool, put);
  return { ours: await pool(texts, ...parameters), driver: await put(pool) };
}

const at = { number: 7, timestamp: 1_700_000_007 };

describe('a statement that is put together', () => {
  it('answers what the driver’s own answers, with parts, lists of parts and identifiers', async () => {
    const { ours, driver } = await rowsOf((sql) => {
      const columns = ['one', 'With Capitals', 'with "quotes"'].map(
        (name) => sql`, ${2}::int as ${sql(name)}`,
      );
      const row = sql`select ${'1'}::int as n ${columns}, ${null}::text as nothing`;
      return sql`
        select ${sql(['row.n', 'row.one'])}, ${['x', "it's"]}::text[] as texts, ${true} as yes
        from (select n, nothing, one from (${row}) inner_row(n, one, b, q, nothing)) row`;
    });
    expect(ours).toEqual([{ n: 1, one: 2, texts: ['x', "it's"], yes: true }]);
    expect(ours).toEqual(driver);
  });

  it('sends values as parameters, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer(), async (text, number) => {
        fc.pre(!text.includes('\0'));
        const { texts, parameters } = compose(
          pool,
          (sql) => sql`select ${text}::text as text, ${sql`${number}::int`} as number`,
        );
        expect(texts.join('?')).toBe('select ?::text as text, ?::int as number');
        expect(await pool(texts, ...parameters)).toEqual([{ text, number }]);
      }),
      { numRuns: 50 },
    );
  });

  it('a statement that is put together has one text for all parameters, and another for other parts', () => {
    const receipt = (id: string) => compose(pool, (sql) => receiptRead(id).select(sql, at, {}));
    expect(receipt('1').texts).toBe(receipt('2').texts);
    expect(receipt('1').parameters).not.toEqual(receipt('2').parameters);
    const list = (filters: object) =>
      compose(pool, (sql) => {
        const query = { filters, sort: 'balanced', after: undefined, limit: 20 } as const;
        return campaignList(query).select(sql, at, {});
      }).texts;
    expect(list({ rateMin: 1 })).toBe(list({ rateMin: 2 }));
    const shapes = [{}, { rateMin: 1 }, { rateMax: 1 }, { q: 'a' }, { q: 'a b' }, { q: '1 b' }];
    const texts = shapes.map((filters) => list(filters).join('?'));
    expect(new Set(texts).size).toBe(shapes.length);
  });

  it('a statement that is put together is prepared once on a connection for all parameters', async () => {
    const prepared = async () => {
      const [row] = await pool<{ count: string }[]>`select count(*) from pg_prepared_statements`;
      return Number(row?.count);
    };
    const ask = async (id: string) => {
      const { texts, parameters } = compose(pool, (sql) => receiptRead(id).select(sql, at, {}));
      expect(await pool(texts, ...parameters)).toEqual([]);
    };
    await ask('1');
    const before = await prepared();
    await ask('2');
    expect(await prepared()).toBe(before);
  });

  it('a statement of named values is composed once, and sends the values of each call', async () => {
    let made = 0;
    const make = (sql: Sql, { first, second }: NamedFragments<'first' | 'second'>) => {
      made += 1;
      return sql`select ${first}::text as first, ${7}::int as n, ${sql`${second}::int`} as second`;
    };
    const ask = async (values: { first: string | null; second: number }) => {
      const { texts, parameters } = composeOnce(pool, make, make, values);
      return [...(await pool(texts, ...parameters))];
    };
    expect(await ask({ first: 'a', second: 1 })).toEqual([{ first: 'a', n: 7, second: 1 }]);
    expect(await ask({ first: null, second: 2 })).toEqual([{ first: null, n: 7, second: 2 }]);
    expect(made).toBe(1);
  });

  it('distinguishes lists of parts from what follows them', () => {
    const textOf = (first: number, second: number) =>
      compose(pool, (sql) => {
        const parts = (count: number) => Array.from({ length: count }, () => sql`, 1`);
        return sql`select 0 ${parts(first)} from (select 0 ${parts(second)}) x`;
      }).texts.join('?');
    expect(textOf(2, 1)).toBe('select 0  , 1 , 1 from (select 0  , 1) x');
    expect(textOf(1, 2)).toBe('select 0  , 1 from (select 0  , 1 , 1) x');
  });

  it('a statement that is put together is the same after more texts than are stored', () => {
    const chain = (length: number) =>
      compose(pool, (sql) => {
        let part = sql`${0}`;
        for (let i = 0; i < length; i += 1) part = sql`${part} + ${i}`;
        return sql`select ${part} as sum`;
      });
    for (let length = 0; length < 1_100; length += 1) chain(length);
    expect(chain(2)).toEqual({
      texts: Object.assign(['select ', ' + ', ' + ', ' as sum'], { raw: expect.anything() }),
      parameters: [0, 0, 1],
    });
  });

  it('takes no part of another statement, and gives none away', async () => {
    expect(() => compose(pool, (sql) => sql`select ${pool`1`}`)).toThrow(TypeError);
    expect(() => compose(pool, () => pool`select 1`)).toThrow(TypeError);
    expect(() => compose(pool, (sql) => sql.unsafe('select 1'))).toThrow(TypeError);
    const parts: Fragment[] = [];
    compose(pool, (sql) => {
      const part = sql`1`;
      parts.push(part);
      return sql`select ${part}`;
    });
    const [part] = parts;
    if (part === undefined) throw new Error('there is no part');
    await expect(pool`select ${part}`).rejects.toThrow('another statement');
  });
});
