import fc from 'fast-check';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fragment, openPool, type Pool, type Sql } from '../../engine/db/connection.ts';
import { campaignList } from '../../engine/db/read/campaigns/list.ts';
import { receiptRead } from '../../engine/db/read/sales/receipt.ts';
import { compose, composeOnce, listOf, type NamedFragments, named } from '../../engine/db/sql.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

let database: TestDatabase;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  pool = openPool(database.url, { max: 1 });
  await pool`create table test_row (n int, "a ""name""" text, j jsonb)`;
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

/** The rows of a statement, and of the same by the driver alone. */
async function rowsOf(put: (sql: Sql) => Fragment): Promise<{ ours: object[]; driver: object[] }> {
  const driver = postgres(database.url, { max: 1 });
  try {
    return { ours: await put(pool), driver: await put(driver as object as Sql) };
  } finally {
    await driver.end();
  }
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

  it('answers what the driver’s own answers, for rows to insert, lists of values and JSON', async () => {
    const rows = [
      { n: 1, 'a "name"': null, j: { a: [1] } },
      { n: 2, 'a "name"': "it's", j: { a: [] } },
    ];
    const { ours, driver } = await rowsOf((sql) => {
      const stored = rows.map((row) => ({ ...row, j: sql.json(row.j) }));
      return sql`
        with created as (
          select * from json_populate_recordset(null::test_row, ${JSON.stringify(rows)}::text::json)
        ), added as (insert into test_row ${sql(stored)} returning *)
        select added.*, added = created as same from added join created using (n)`;
    });
    expect(ours).toEqual(rows.map((row) => ({ ...row, same: true })));
    expect(ours).toEqual(driver);
    const listed = await pool`select n from test_row where n in ${listOf(pool, [2, 3])} order by n`;
    expect(listed).toEqual([{ n: 2 }, { n: 2 }]);
  });

  it('sends values as parameters, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.integer(), async (text, number) => {
        fc.pre(!text.includes('\0'));
        const statement = pool`select ${text}::text as text, ${pool`${number}::int`} as number`;
        expect(compose(statement)).toMatchObject({
          text: 'select $1::text as text, $2::int as number',
          parameters: [text, number],
        });
        expect(await statement).toEqual([{ text, number }]);
      }),
      { numRuns: 50 },
    );
  });

  it('uses one text for all parameters, and another for other parts', () => {
    const receipt = (id: string) => {
      const { select, values } = receiptRead(id);
      return compose(select(pool, at, named(pool, values ?? {})));
    };
    expect(receipt('1').text).toBe(receipt('2').text);
    expect(receipt('1').parameters).not.toEqual(receipt('2').parameters);
    const list = (filters: object) => {
      const query = { filters, sort: 'balanced', after: undefined, limit: 20 } as const;
      return compose(campaignList(query).select(pool, at, {})).text;
    };
    expect(list({ rateMin: 1 })).toBe(list({ rateMin: 2 }));
    const shapes = [{}, { rateMin: 1 }, { rateMax: 1 }, { q: 'a' }, { q: 'a b' }, { q: '1 b' }];
    expect(new Set(shapes.map(list)).size).toBe(shapes.length);
  });

  it('prepares a statement once on a connection for all parameters', async () => {
    const prepared = async () => {
      const [row] = await pool<{ count: string }[]>`select count(*) from pg_prepared_statements`;
      return Number(row?.count);
    };
    const ask = async (id: string) => {
      const { select, values } = receiptRead(id);
      expect(await select(pool, at, named(pool, values ?? {}))).toEqual([]);
    };
    await ask('1');
    const before = await prepared();
    await ask('2');
    expect(await prepared()).toBe(before);
  });

  it('composes a statement of named values once, and sends the values of each call', async () => {
    let made = 0;
    const key = {};
    const make = ({ first, second }: NamedFragments<'first' | 'second'>) => {
      made += 1;
      return pool`select ${first}::text as first, ${7}::int as n, ${pool`${second}::int`} as second`;
    };
    const ask = async (values: { first: string | null; second: number }) => [
      ...(await pool.run(composeOnce(pool, key, make, values))),
    ];
    expect(await ask({ first: 'a', second: 1 })).toEqual([{ first: 'a', n: 7, second: 1 }]);
    expect(await ask({ first: null, second: 2 })).toEqual([{ first: null, n: 7, second: 2 }]);
    expect(made).toBe(1);
  });

  it('distinguishes lists of parts from what follows them', () => {
    const textOf = (first: number, second: number) => {
      const parts = (count: number) => Array.from({ length: count }, () => pool`, 1`);
      return compose(pool`select 0 ${parts(first)} from (select 0 ${parts(second)}) x`).text;
    };
    expect(textOf(2, 1)).toBe('select 0  , 1 , 1 from (select 0  , 1) x');
    expect(textOf(1, 2)).toBe('select 0  , 1 from (select 0  , 1 , 1) x');
  });

  it('answers the same after more texts than are stored', () => {
    const chain = (length: number) => {
      let part = pool`${0}`;
      for (let i = 0; i < length; i += 1) part = pool`${part} + ${i}`;
      return compose(pool`select ${part} as sum`);
    };
    for (let length = 0; length < 1_100; length += 1) chain(length);
    expect(chain(2)).toMatchObject({ text: 'select $1 + $2 + $3 as sum', parameters: [0, 0, 1] });
  });

  it('refuses a text with parameters as a part, and a parameter that is undefined, and goes on', async () => {
    const part = pool.unsafe('select $1::int', [1]);
    expect(await part).toEqual([{ int4: 1 }]);
    await expect(pool`select (${part})`).rejects.toThrow(TypeError);
    const running = pool`select pg_sleep(0.05)`.execute();
    await expect(pool`select ${undefined}::int`).rejects.toThrow('a parameter is undefined');
    expect(await running).toHaveLength(1);
    expect(await pool`select ${null}::int as nothing`).toEqual([{ nothing: null }]);
  });

  it('fails with an error that shows where it was written', async () => {
    const error = await pool`select nothing`.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: '42703', stack: expect.stringContaining('sql.test.ts') });
  });
});
