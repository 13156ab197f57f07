import { expect, it } from 'vitest';
import { openPool } from '../../engine/db/connection.ts';
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
