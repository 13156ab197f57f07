import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { runCli } from '../support/run-cli.ts';

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
