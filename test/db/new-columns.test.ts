import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isClosing, openPool } from '../../engine/db/connection.ts';
import { readHeads, setIndexerSchema } from '../../engine/db/heads.ts';
import { createTestDatabase } from '../support/database.ts';

// A prepared `select *` fails once its table has a new column, and cannot be prepared again in its transaction.
it('reads the heads in a transaction although a newer release has added a column since the last one', async () => {
  const database = await createTestDatabase();
  const pool = openPool(database.url, { max: 1 });
  await setIndexerSchema(pool, 'indexer_test');
  const read = () => pool.begin((sql) => readHeads(sql));
  const before = await read();
  await pool`alter table ledger.head add column later int`;
  expect(await read()).toEqual(before);
  expect(before).toMatchObject({ indexerSchema: 'indexer_test' });
  await pool.end();
  await database.drop();
});

/** A table whose rows are read as `select *`, and the statements that are sent around that. */
async function startNotes() {
  const database = await createTestDatabase({ empty: true });
  const pool = openPool(database.url, { max: 1 });
  await pool`create table note (id integer, text text)`;
  await pool`insert into note values (7, 'seven')`;
  let columns = 0;
  return {
    pool,
    addColumn: async () => {
      columns += 1;
      await pool.unsafe(`alter table note add column later_${columns} integer`);
    },
    stop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}

/** What a statement answered: that, or that its session has ended. */
type Outcome = 'right' | 'wrong' | 'session ended';

async function outcomeOf(
  answer: PromiseLike<readonly object[]>,
  expected: object,
): Promise<Outcome> {
  try {
    const [row, ...others] = await answer;
    const isRight =
      others.length === 0 &&
      Object.entries(expected).every(([name, value]) =>
        Object.is(Reflect.get(row ?? {}, name), value),
      );
    return isRight ? 'right' : 'wrong';
  } catch (error) {
    if (!isClosing(error)) throw error;
    return 'session ended';
  }
}

it('rejects a transaction whose table got a column since its statement was prepared, and serves the next one', async () => {
  const { pool, addColumn, stop } = await startNotes();
  const read = () =>
    pool.begin((sql) =>
      Promise.all([
        sql`select ${1}::integer as first`,
        sql`select * from note where id = ${7}`,
        sql`select ${2}::integer as last`,
      ]),
    );
  const before = [[{ first: 1 }], [{ id: 7, text: 'seven' }], [{ last: 2 }]];
  expect([await read(), await read()]).toEqual([before, before]);
  await addColumn();
  const failure = await read().catch((error: unknown) => error);
  expect(isClosing(failure)).toBe(true);
  expect(await read()).toEqual([
    [{ first: 1 }],
    [{ id: 7, text: 'seven', later_1: null }],
    [{ last: 2 }],
  ]);
  await stop();
}, 20_000);

it('gives no statement the answer of another one while a table that they read gets columns', async () => {
  const { pool, addColumn, stop } = await startNotes();
  const seen = new Set<Outcome>();
  for (let round = 0; round < 20; round += 1) {
    await pool`select * from note where id = ${7}`;
    await pool`select ${0}::integer as one`;
    await addColumn();
    const outcomes = [outcomeOf(pool`select * from note where id = ${7}`, { id: 7 })];
    for (let one = 0; one < 60; one += 1) {
      outcomes.push(outcomeOf(pool`select ${one}::integer as one`, { one }));
      await setImmediate();
    }
    for (const outcome of await Promise.all(outcomes)) seen.add(outcome);
  }
  expect([...seen].sort()).toEqual(['right', 'session ended']);
  await stop();
}, 60_000);
