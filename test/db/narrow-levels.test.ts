import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestRoot } from '../../engine/core/merkle.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const MIGRATION = new URL('../../engine/db/migrations/0072_narrow_levels.sql', import.meta.url);

const facts = randomHistory({ seed: 72, steps: 600, campaigns: 3 });
const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
const first = facts.filter(({ blockNumber }) => blockNumber < middle);

let database: TestDatabase;
let fixture: SettleFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(first);
  await fixture.settle();
});
afterAll(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

/** Makes the tables what they were when a level's recipient was before its node. */
async function storeWideLevels(): Promise<void> {
  const { pool } = fixture;
  const [view] = await pool<{ text: string }[]>`
    select pg_get_viewdef('ledger.sale_account'::regclass) as text`;
  await pool`drop view ledger.sale_account`;
  await pool`drop index ledger.sale_level_newest, ledger.sale_level_recipient, ledger.journal_sale`;
  await pool`
    alter table ledger.sale_level drop constraint sale_level_bytes,
      alter column recipient type bigint using node_id,
      alter column node_id type bytea using recipient`;
  await pool`alter table ledger.sale_level rename column recipient to other`;
  await pool`alter table ledger.sale_level rename column node_id to recipient`;
  await pool`alter table ledger.sale_level rename column other to node_id`;
  await pool`
    alter table ledger.sale_level
      add constraint sale_level_bytes check (octet_length(recipient) = 20)`;
  await pool`create index sale_level_newest on ledger.sale_level (recipient, sale_id)`;
  await pool`create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id)`;
  await pool`
    create index journal_sale on ledger.journal (campaign_id, sale_id, seq) where sale_id is not null`;
  await pool.unsafe(`create view ledger.sale_account as ${view?.text}`);
}

/** Columns in their order, indexes and constraints of the two tables. */
async function definitions(): Promise<string[]> {
  const rows = await fixture.pool<{ line: string }[]>`
    select format('%s %s %s %s', attrelid::regclass, attnum, attname, atttypid::regtype) as line
    from pg_attribute
    where attrelid in ('ledger.journal'::regclass, 'ledger.sale_level'::regclass) and attnum > 0
    union all
    select indexdef from pg_indexes
    where schemaname = 'ledger' and tablename in ('journal', 'sale_level')
    union all
    select format('%s %s %s', conrelid::regclass, conname, pg_get_constraintdef(oid))
    from pg_constraint
    where conrelid in ('ledger.journal'::regclass, 'ledger.sale_level'::regclass)
    union all
    select pg_get_viewdef('ledger.sale_account'::regclass)
    order by 1`;
  return rows.map(({ line }) => line);
}

async function rootOf(): Promise<string> {
  return digestRoot(keccak, await digestsAt(fixture.pool, Number.MAX_SAFE_INTEGER));
}

it('the migration to narrow levels makes the tables that settlement writes, with the same rows and root', async () => {
  const { pool } = fixture;
  const [settled, root, defined] = [await dumpLedger(pool), await rootOf(), await definitions()];
  expect(settled.sale_level?.length).toBeGreaterThan(50);
  await storeWideLevels();
  expect(differences(settled, await dumpLedger(pool))).toEqual([]);
  expect(await definitions()).not.toEqual(defined);

  const migration = await readFile(MIGRATION, 'utf8');
  await pool.begin((sql) => sql.unsafe(migration));
  expect(await definitions()).toEqual(defined);
  expect(differences(settled, await dumpLedger(pool))).toEqual([]);
  expect(await rootOf()).toBe(root);
  expect(await auditLedger(pool)).toEqual([]);
});

it('settlement goes on after the migration as if there had been none', async () => {
  await fixture.index(facts.slice(first.length));
  await fixture.settle();
  const other = await createTestDatabase();
  const fresh = await SettleFixture.open(other.url);
  await fresh.index(facts);
  await fresh.settle();
  const expected = await dumpLedger(fresh.pool);
  await fresh.pool.end();
  await other.drop();
  expect(expected.journal?.length).toBe(facts.length);
  expect(differences(expected, await dumpLedger(fixture.pool))).toEqual([]);
});
