import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ledgerBackupTables,
  offChainTables,
  omittedTables,
  storedTables,
  tablesToCopy,
} from '../../engine/db/backup/tables.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { ledgerTables } from '../../engine/db/ledger-tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/** Made by the restore, after the migrations. */
const MADE_BY_RESTORE = 'public.tributary_restore';

describe('the list of backed up tables', () => {
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

  it('decides about every table of the database', async () => {
    const stored = (await storedTables(pool)).map(({ name }) => name);
    const decided = [...offChainTables, ...ledgerBackupTables, ...Object.keys(omittedTables)];
    expect(new Set(decided).size).toBe(decided.length);
    expect(stored.sort()).toEqual(decided.filter((name) => name !== MADE_BY_RESTORE).sort());
  });

  it('knows every schema that migrations make', async () => {
    const rows = await pool<{ schema: string }[]>`
      select distinct schemaname as schema from pg_tables
      where schemaname not like 'pg\\_%' and schemaname <> 'information_schema'`;
    expect(rows.map(({ schema }) => schema).sort()).toEqual(['commerce', 'ledger', 'public']);
  });

  it('copies every table of the ledger that the digest and the API depend on', () => {
    const names: readonly string[] = ledgerBackupTables;
    for (const { name } of ledgerTables) expect(names).toContain(`ledger.${name}`);
  });

  it('copies a table after those that its foreign keys name, with and without the ledger', async () => {
    const needs = new Map((await storedTables(pool)).map((table) => [table.name, table.needs]));
    for (const withLedger of [true, false]) {
      const names = (await tablesToCopy(pool, withLedger)).map(({ name }) => name);
      expect(names.length).toBe(
        offChainTables.length + (withLedger ? ledgerBackupTables.length : 0),
      );
      names.forEach((name, i) => {
        for (const needed of needs.get(name) ?? []) expect(names.slice(0, i)).toContain(needed);
      });
    }
  });

  it('refuses a database with a table that is in no list', async () => {
    await pool`create table commerce.undecided (id integer)`;
    await expect(tablesToCopy(pool, false)).rejects.toThrow('does not know commerce.undecided');
    await pool`drop table commerce.undecided`;
  });
});
