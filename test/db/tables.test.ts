import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backupTables, storedTables, tablesToCopy } from '../../engine/db/backup/tables.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { catalogue } from '../../engine/db/tables/catalogue.ts';
import { personalTables, serviceTables } from '../../engine/db/tables/commerce.ts';
import {
  type FoldedTable,
  foldedTables,
  type LedgerTable,
  ledger,
} from '../../engine/db/tables/ledger.ts';
import type { DescribedTable } from '../../engine/db/tables/table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Tables with rows for each sale or node. */
const GROWING = [
  ...['account_sum', 'bucket', 'entry', 'journal', 'missed_reward'],
  ...['node', 'sale', 'sale_level', 'sale_version'],
];

/** Made by the restore, after the migrations. */
const MADE_BY_RESTORE = 'public.tributary_restore';

interface Table {
  /** With its schema. */
  name: string;
  columns: string[];
  key: string[];
}

describe('the catalogue of tables', () => {
  let database: TestDatabase;
  let pool: Pool;
  let stored: ReadonlyMap<string, Table>;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 1 });
    const rows = await pool<Table[]>`
      select space.nspname || '.' || t.relname as name, (
        select array_agg(attname::text order by attname) from pg_attribute
        where attrelid = t.oid and attnum > 0 and not attisdropped
      ) as columns, coalesce((
        select array_agg(a.attname::text order by k.position) from pg_index i
        cross join lateral unnest(i.indkey::int2[]) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
        where i.indrelid = t.oid and i.indisprimary
      ), '{}') as key
      from pg_class t join pg_namespace space on space.oid = t.relnamespace
      where t.relkind = 'r'
        and space.nspname not like 'pg\\_%' and space.nspname <> 'information_schema'`;
    stored = new Map(rows.map((table) => [table.name, table]));
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('names every table that the migrations make, in every schema, and no other', () => {
    const known = Object.entries(catalogue).flatMap(([schema, tables]) =>
      Object.keys(tables).map((name) => `${schema}.${name}`),
    );
    expect([...stored.keys()].sort()).toEqual(
      known.filter((name) => name !== MADE_BY_RESTORE).sort(),
    );
  });

  it.each<LedgerTable>(foldedTables)('gives the primary key of ledger.$name', ({ name, key }) => {
    const [first, ...others] = stored.get(`ledger.${name}`)?.key ?? [];
    expect(first).toBe('campaign_id');
    expect([...others].sort()).toEqual([...key].sort());
  });

  it('calls exactly those folded tables rows of events that have a sequence number and are no newest state', () => {
    const ofEvents = foldedTables.filter(({ of }) => of === 'event' || of === 'saleEvent');
    const withSeq = foldedTables.filter(
      ({ name }) => stored.get(`ledger.${name}`)?.columns.includes('seq') && name !== 'sale',
    );
    expect(ofEvents).toEqual(withSeq);
  });

  it('stores hashes and addresses of tables that grow with sales as bytes, and names exactly these columns', async () => {
    const rows = await pool<{ table: string; columns: string[] }[]>`
      select relname as table, array_agg(attname::text order by attname) as columns
      from pg_attribute join pg_class on pg_class.oid = attrelid
      where relnamespace = 'ledger'::regnamespace and relkind = 'r' and attnum > 0
        and atttypid = 'bytea'::regtype
      group by relname`;
    const named = Object.entries<DescribedTable | FoldedTable>(ledger).flatMap(
      ([table, { bytes = [] }]) => (bytes.length === 0 ? [] : [[table, [...bytes].sort()]]),
    );
    expect(Object.fromEntries(rows.map(({ table, columns }) => [table, columns]))).toEqual(
      Object.fromEntries(named),
    );
    const texts = await pool<{ name: string }[]>`
      select relname || '.' || attname as name from pg_attribute
      join pg_class on pg_class.oid = attrelid
      where relnamespace = 'ledger'::regnamespace and relname = any(${GROWING}::text[])
        and attnum > 0 and atttypid = 'text'::regtype order by name`;
    expect(texts.map(({ name }) => name)).toEqual([
      'entry.kind',
      'journal.name',
      'missed_reward.reason',
      'sale.state',
      'sale_version.state',
    ]);
  });

  it('refuses a hash or address of another length, such as one that is written as text', async () => {
    const insert = pool`
      insert into ledger.bucket values (1, '0x00000000000000000000000000000000000000ff', 0,0,0,0,0,0)`;
    await expect(insert).rejects.toThrow('bucket_bytes');
  });

  it('classifies every column of commerce', () => {
    const words = (text: string) => text.split(' ').filter((word) => word !== '');
    const classified = [
      ...personalTables.map(([name, { personal, secret = '', operational }]) => {
        return [name, `${personal} ${secret} ${operational}`] as const;
      }),
      ...serviceTables.map(([name, { columns }]) => [name, columns] as const),
    ];
    for (const [name, columns] of classified) {
      expect([name, words(columns).sort()]).toEqual([
        name,
        [...(stored.get(`commerce.${name}`)?.columns ?? [])].sort(),
      ]);
    }
    expect(classified.map(([name]) => name)).toEqual(Object.keys(catalogue.commerce));
  });

  it('puts the rows of accounts into every backup, and all folded rows into one with the ledger', () => {
    expect(backupTables(false)).toEqual(
      expect.arrayContaining(personalTables.map(([name]) => `commerce.${name}`)),
    );
    expect(backupTables(true)).toEqual(
      expect.arrayContaining(foldedTables.map(({ name }) => `ledger.${name}`)),
    );
    expect(backupTables(false).filter((name) => name.startsWith('ledger.'))).toEqual([]);
  });

  it('gives a backup each table after those that its foreign keys name, with and without the ledger', async () => {
    const needs = new Map((await storedTables(pool)).map((table) => [table.name, table.needs]));
    const former = Object.entries(catalogue).flatMap(([schema, records]) =>
      Object.values(records).map(({ formerName }) => `${schema}.${formerName}`),
    );
    for (const withLedger of [true, false]) {
      const names = (await tablesToCopy(pool, withLedger)).map(({ name }) => name);
      const expected = backupTables(withLedger).filter((name) => !former.includes(name));
      expect([...names].sort()).toEqual([...expected].sort());
      names.forEach((name, i) => {
        for (const needed of needs.get(name) ?? []) expect(names.slice(0, i)).toContain(needed);
      });
    }
  });

  it('refuses to back up a database with a table that has no record', async () => {
    await pool`create table commerce.undecided (id integer)`;
    await expect(tablesToCopy(pool, false)).rejects.toThrow('does not know commerce.undecided');
    await pool`drop table commerce.undecided`;
  });
});
