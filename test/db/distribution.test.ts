import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storedTables } from '../../engine/db/backup/tables.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import {
  DISTRIBUTION_COLUMN,
  distributedTables,
  distributionTable,
  localTables,
} from '../../scripts/distribution/tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { schemaConstructs, statementConstructs } from '../support/sql-constructs.ts';

const PAGE = join(import.meta.dirname, '../../docs/distributed-database.md');

describe('the distribution of the tables over nodes', () => {
  let database: TestDatabase;
  let pool: Pool;
  let page: string;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 1 });
    page = await readFile(PAGE, 'utf8');
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('decides about every table of the database', async () => {
    const stored = (await storedTables(pool)).map(({ name }) => name);
    const decided = [...distributedTables, ...localTables.flatMap(({ tables }) => tables)];
    expect(decided.sort(), 'add new tables to scripts/distribution/tables.ts').toEqual(
      stored.sort(),
    );
  });

  it('finds nothing in a distributed table that one node could not check alone', async () => {
    const rows = await pool<{ found: string }[]>`
      with distributed as (
        select name::regclass::oid as id from unnest(${[...distributedTables]}::text[]) name
      )
      select 'unique key without the campaign: ' || indexrelid::regclass as found from pg_index
      where indrelid in (select id from distributed) and indisunique and not exists (
        select 1 from pg_attribute where attrelid = indrelid and attname = ${DISTRIBUTION_COLUMN}
          and attnum = any((indkey::int2[])[0:indnkeyatts - 1])
      )
      union all select 'foreign key: ' || conname from pg_constraint
      where contype = 'f' and (conrelid in (select id from distributed) or confrelid in (select id from distributed))
      union all select 'trigger: ' || tgname from pg_trigger
      where tgrelid in (select id from distributed) and not tgisinternal
      union all select 'generated value: ' || attrelid::regclass || '.' || attname from pg_attribute
      where attrelid in (select id from distributed) and (attidentity <> '' or attgenerated <> '')
      union all select 'not logged: ' || oid::regclass from pg_class
      where oid in (select id from distributed) and relpersistence <> 'p'`;
    expect(rows.map(({ found }) => found)).toEqual([]);
  });

  it('prints the table that its page shows', () => {
    expect(page, 'copy the output of `npx tsx scripts/distribution.ts --page`').toContain(
      distributionTable(),
    );
  });

  it('finds exactly the constructs that the page decides about in the schema and the statements', async () => {
    const found = [...(await schemaConstructs(pool)), ...(await statementConstructs('engine'))];
    const [, section = ''] = /\n## Constructs\n([\s\S]*?)\n## /.exec(page) ?? [];
    const decided = [...section.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name);
    expect(decided.length).toBeGreaterThan(0);
    const advice = 'give each construct a row in docs/distributed-database.md, and no other';
    expect([...decided].sort(), advice).toEqual([...found].sort());
  });
});
