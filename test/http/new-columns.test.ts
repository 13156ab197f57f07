import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { exampleInputs, sendExample, served } from './support/record-example.ts';
import { SampleApi } from './support/sample-api.ts';

/** Reads that need no session: what a session writes is not the same twice. */
const reads = served.filter(
  ([name, { method }]) => method === 'GET' && exampleInputs[name] !== undefined,
);

describe('an API while a newer release migrates', () => {
  let sample: SampleApi;
  let pool: Pool;

  beforeAll(async () => {
    sample = await SampleApi.open();
    // One connection, so that each statement is prepared on the one that uses it again.
    pool = openPool(sample.fixture.databaseUrl, { max: 1 });
  });
  afterAll(async () => {
    await pool?.end();
    await sample?.close();
  });

  // A prepared `select *` fails once its table has a new column, and cannot be prepared again in its transaction.
  it('answers each read also after every table got a column', async () => {
    const send = async () => {
      const failed: string[] = [];
      for (const [name, method] of reads) {
        const deps = { pool, cacheMiB: 0 };
        await sendExample(sample, name, method, deps).catch(() => failed.push(name));
      }
      return failed;
    };
    const before = await send();
    const tables = await pool<{ name: string }[]>`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('ledger', 'commerce')`;
    for (const { name } of tables) await pool.unsafe(`alter table ${name} add column later int`);
    expect(tables.length).toBeGreaterThan(50);
    expect(await send()).toEqual(before);
    expect(before).toEqual([]);
  }, 300_000);
});
