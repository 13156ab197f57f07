import { expect, it } from 'vitest';
import { openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { createTestDatabase } from '../support/database.ts';

it('finds an index for each foreign key that follows a deleted row, so that deleting scans no table', async () => {
  const database = await createTestDatabase();
  const pool = openPool(database.url, { max: 1 });
  try {
    await migrate(pool);
    const keys = await pool<{ name: string; indexed: boolean }[]>`
      select conrelid::regclass::text || '.' || conname as name, exists (
        select 1 from pg_index
        where indrelid = conrelid and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
          and (indpred is null or pg_get_expr(indpred, indrelid) = any(
            select '(' || attname || ' IS NOT NULL)' from pg_attribute
            where attrelid = conrelid and attnum = any(conkey)
          ))
      ) as indexed
      from pg_constraint
      where contype = 'f' and confdeltype in ('c', 'n')
        and connamespace in ('ledger'::regnamespace, 'commerce'::regnamespace)`;
    expect(keys.length).toBeGreaterThan(3);
    expect(keys.filter(({ indexed }) => !indexed).map(({ name }) => name)).toEqual([]);
  } finally {
    await pool.end();
    await database.drop();
  }
});
