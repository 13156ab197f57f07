import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createDatabase } from '../../engine/cli/stack/database.ts';
import { databaseCheck } from '../../engine/cli/startup/database.ts';
import { closePool, openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { isPooledByTransaction } from '../../engine/db/transaction-pooling.ts';
import { type PgBouncer, pgbouncerIsInstalled, startPgBouncer } from '../support/pgbouncer.ts';

describe.skipIf(!pgbouncerIsInstalled)('a database behind PgBouncer', () => {
  let session: PgBouncer;
  let transaction: PgBouncer;

  beforeAll(async () => {
    const url = await createDatabase(inject('serverUrl'), 'behind_pgbouncer');
    [session, transaction] = await Promise.all([
      startPgBouncer(url, 'session'),
      startPgBouncer(url, 'transaction'),
    ]);
  });

  afterAll(async () => {
    await Promise.all([session?.stop(), transaction?.stop()]);
  });

  it('works with session pooling, in sessions that have our settings', async () => {
    const pool = openPool(session.url, { max: 2, settings: { work_mem: '7MB' } });
    try {
      const [row] = await pool`
        select current_setting('jit') as jit, current_setting('work_mem') as memory`;
      expect(row).toEqual({ jit: 'off', memory: '7MB' });
      expect(await isPooledByTransaction(session.url)).toBe(false);
      await migrate(pool);
    } finally {
      await closePool(pool);
    }
  });

  it('ends a start with one sentence if it pools transactions', async () => {
    const url = new URL(transaction.url);
    const { findings } = await databaseCheck(url.href).run(AbortSignal.timeout(5_000));
    expect(findings?.map(({ sentence }) => sentence)).toEqual([
      'DATABASE_URL leads to a pooler that shares sessions between transactions: use its port for session pooling, or the database itself.',
    ]);
  });

  it('shows its pooling of transactions also while others use it', async () => {
    const others = openPool(transaction.url, { max: 4 });
    let checked = false;
    const work = async () => {
      while (!checked) await others.unsafe('select pg_sleep(0.005)');
    };
    const busy = Promise.all([work(), work(), work(), work()]);
    for (let i = 0; i < 20; i += 1) expect(await isPooledByTransaction(transaction.url)).toBe(true);
    checked = true;
    await busy;
    await closePool(others);
  });
});

it('suspects no pooler where none is', async () => {
  expect(await isPooledByTransaction(inject('serverUrl'))).toBe(false);
});
