import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import {
  type Migration,
  migrate,
  pendingMigrations,
  readMigrations,
  statementsOf,
} from '../../engine/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { holdLocks } from '../support/locks.ts';
import { runCli, runHere } from '../support/run-cli.ts';
import { waitFor } from '../support/wait-for.ts';

it('refuses a database that cannot store every name, and changes nothing in it', async () => {
  const server = openPool(inject('serverUrl'), { max: 1 });
  const name = 'encoding_latin1';
  const url = new URL(inject('serverUrl'));
  url.pathname = `/${name}`;
  await server.unsafe(
    `create database ${name} template template0 encoding 'LATIN1' locale_provider libc locale 'C'`,
  );
  try {
    const { code, stderr } = await runHere(['migrate'], { DATABASE_URL: url.href });
    expect({ code, stderr }).toMatchObject({ code: 1 });
    expect(stderr).toContain('The database has the encoding LATIN1, and cannot store every name');
    const pool = openPool(url.href, { max: 1 });
    expect(await pool`select 1 from pg_tables where schemaname = 'public'`).toHaveLength(0);
    await pool.end();
  } finally {
    await server.unsafe(`drop database ${name}`);
    await server.end();
  }
});

describe('a database that a newer version has changed', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 2 });
    await pool`insert into public.tributary_migration (name) values ('9999_future.sql')`;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  const sentence =
    'This database has migrations that this version does not know (9999_future.sql): run the newer version that made them.';

  it('a database that a newer version has changed is refused by name, and the lock of migrations is given back', async () => {
    await expect(migrate(pool)).rejects.toThrow(sentence);
    await expect(migrate(pool)).rejects.toThrow(sentence);
  });

  it.each(['api', 'worker'])('ends tributary %s with one sentence and code 1', async (command) => {
    const { code, stderr } = await runCli([command], {
      DATABASE_URL: database.url,
      CHAIN_ID: '31337',
      RPC_URL: 'http://127.0.0.1:1',
      CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
      START_BLOCK: '0',
    });
    expect({ code, stderr: stderr.trim() }).toEqual({ code: 1, stderr: sentence });
  });
});

describe('a ledger that a development version partitioned', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeEach(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 2 });
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
  });

  const sentence =
    'Tables of this ledger are partitioned, which this version does not support; nothing was changed. Run `tributary partition --partitions 1` of the version that partitioned them, which keeps all rows; if a conversion was interrupted, `tributary partition --cancel` first.';

  it.each([
    [
      'is partitioned',
      'alter table ledger.bucket rename to former',
      'create table ledger.bucket (like ledger.former) partition by hash (campaign_id)',
    ],
    ['was being converted', 'create schema ledger_conversion'],
  ])(
    'refuses a ledger with a table that %s, before it applies or lists a migration',
    async (...[, ...made]) => {
      for (const statement of made) await pool.unsafe(statement);
      await pool`delete from public.tributary_migration where name >= '0060'`;
      const recorded = await pool`select name from public.tributary_migration`;
      await expect(migrate(pool)).rejects.toThrow(sentence);
      await expect(pendingMigrations(pool)).rejects.toThrow(sentence);
      expect(await pool`select name from public.tributary_migration`).toEqual(recorded);
    },
  );

  it('ends tributary worker with that sentence and code 1', async () => {
    await pool`create schema ledger_conversion`;
    const { code, stderr } = await runCli(['worker'], {
      DATABASE_URL: database.url,
      CHAIN_ID: '31337',
      RPC_URL: 'http://127.0.0.1:1',
      CONTRACT_ADDRESS: `0x${'1'.repeat(40)}`,
      START_BLOCK: '0',
    });
    expect({ code, stderr: stderr.trim() }).toEqual({ code: 1, stderr: sentence });
  });
});

describe('the locks of the migrations', () => {
  let database: TestDatabase;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase({ empty: true });
    pool = openPool(database.url, { max: 1 });
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('each migration keeps writers from the tables that it declares, and from no others', async () => {
    for (const migration of await readMigrations()) {
      const held = await locksOf(pool, migration);
      if (migration.locks === undefined) continue;
      expect({ name: migration.name, locks: held }).toEqual({
        name: migration.name,
        locks: migration.locks,
      });
    }
  });
});

/** Applies a migration, and returns the older tables that it keeps writers from. */
async function locksOf(pool: Pool, { text, online }: Migration): Promise<string[]> {
  if (online) {
    for (const statement of statementsOf(text)) {
      expect(statement).toMatch(/create (unique )?index concurrently if not exists/);
      await pool.unsafe(statement);
    }
    return [];
  }
  return await pool.begin(async (sql) => {
    const before = await sql<{ oid: number; name: string }[]>`
      select pg_class.oid, nspname || '.' || relname as name from pg_class
      join pg_namespace on pg_namespace.oid = relnamespace
      where relkind = 'r' and nspname in ('ledger', 'commerce') order by name`;
    await sql.unsafe(text);
    const rows = await sql<{ oid: number }[]>`
      select distinct relation as oid from pg_locks
      where pid = pg_backend_pid()
        and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')`;
    const locked = new Set(rows.map(({ oid }) => oid));
    return before.filter(({ oid }) => locked.has(oid)).map(({ name }) => name);
  });
}

describe('migrating a database that is in use', () => {
  let database: TestDatabase;
  let pool: Pool;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-migrations-'));
    database = await createTestDatabase({ empty: true });
    pool = openPool(database.url, { max: 6 });
    await pool`create schema ledger`;
    await pool`create table ledger.sale (id bigint)`;
    await pool`insert into ledger.sale select generate_series(1, 1000)`;
  });
  afterEach(async () => {
    await pool.end();
    await database.drop();
    await rm(folder, { recursive: true });
  });

  const options = () => ({ folder: pathToFileURL(`${folder}/`) });
  const write = (name: string, text: string) => writeFile(join(folder, name), text);

  it('lets others go on while a migration waits for a long transaction, and then applies it', async () => {
    await write('0101_x.sql', '-- locks: ledger.sale\nalter table ledger.sale add column x int;');
    const commit = await holdLocks(pool, (sql) => sql`select count(*) from ledger.sale`);
    const lines: string[] = [];
    const migrated = migrate(pool, { ...options(), log: (line) => lines.push(line) });
    await waitFor(() => lines.length >= 2, { what: 'the migration to wait' });
    expect(lines).toEqual([
      'Applying 0101_x.sql.',
      '0101_x.sql waits for a transaction that holds its tables.',
    ]);
    // It has let go of its place in the queue, or this would wait for the long transaction.
    await pool.begin(async (sql) => {
      await sql`set local lock_timeout = '1s'`;
      await sql`update ledger.sale set id = -id where id = 1`;
    });
    await commit();
    expect(await migrated).toEqual(['0101_x.sql']);
    expect(await migrate(pool, options())).toEqual([]);
  });

  it('builds an index online while rows are written, by several processes that start together', async () => {
    const index = 'create index concurrently if not exists sale_id on ledger.sale (id);';
    await write('0101_index.sql', `-- online\n${index}`);
    await write('0102_none.sql', '-- locks: none\ncreate table ledger.other (id bigint);');
    const commit = await holdLocks(pool, (sql) => sql`insert into ledger.sale values (0)`);
    const migrated = Promise.all([migrate(pool, options()), migrate(pool, options())]);
    const isBuilding = async () => {
      const rows = await pool`select from pg_stat_progress_create_index`;
      return rows.length > 0;
    };
    await waitFor(isBuilding, { what: 'the index to be built' });
    await pool`insert into ledger.sale values (2000)`;
    await commit();
    const applied = await migrated;
    expect(applied.map((names) => names.length).sort()).toEqual([0, 2]);
    const [row] = await pool`select indisvalid from pg_index
      where indexrelid = 'ledger.sale_id'::regclass`;
    expect(row).toEqual({ indisvalid: true });
  });

  it('builds an index again that an interrupted online migration left unfinished', async () => {
    await pool`insert into ledger.sale values (1)`;
    // A unique index that cannot be built remains as an invalid one.
    const unique = pool.unsafe('create unique index concurrently sale_id on ledger.sale (id)');
    await expect(unique).rejects.toThrow('could not create unique index');
    await write(
      '0101_index.sql',
      '-- online\ncreate index concurrently if not exists sale_id on ledger.sale (id);',
    );
    await migrate(pool, options());
    const [row] = await pool`select indisvalid, indisunique from pg_index
      where indexrelid = 'ledger.sale_id'::regclass`;
    expect(row).toEqual({ indisvalid: true, indisunique: false });
  });

  it('applies nothing of a migration that fails, and applies it whole the next time', async () => {
    await write(
      '0101_bad.sql',
      '-- locks: ledger.sale\nalter table ledger.sale add column x int;\nselect 1/0;',
    );
    await expect(migrate(pool, options())).rejects.toThrow('division by zero');
    await write('0101_bad.sql', '-- locks: ledger.sale\nalter table ledger.sale add column x int;');
    expect(await migrate(pool, options())).toEqual(['0101_bad.sql']);
  });

  it.each([
    ['nothing', 'select 1;'],
    ['both', '-- online\n-- locks: none\nselect 1;'],
  ])('refuses a migration that declares %s', async (_what, text) => {
    await write('0101_x.sql', text);
    await expect(migrate(pool, options())).rejects.toThrow(
      '0101_x.sql must have one of the comments "-- locks: …" and "-- online".',
    );
  });
});
