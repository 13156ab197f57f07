import { expect, it } from 'vitest';
import { replay } from '../../engine/settlement/replay.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { firstHalf, useMigratedLedger } from '../support/migrated-ledger.ts';

const facts = randomHistory({ seed: 72, steps: 600, campaigns: 3 });
const ledger = useMigratedLedger(firstHalf(facts));

/** Makes the tables what they were when a level's recipient was before its node. */
async function storeWideLevels(): Promise<void> {
  const { pool } = ledger;
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
  const rows = await ledger.pool<{ line: string }[]>`
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

/** Makes the table what it was when it had the first state of each sale. */
async function storeFirstStates(): Promise<void> {
  await ledger.pool`
    insert into ledger.sale_version
    select campaign_id, sale_id, seq, 'pending', 0, null from ledger.sale`;
}

it('the migration to narrow levels makes the tables that settlement writes, with the same rows and root', async () => {
  const defined = await definitions();
  const settled = await ledger.expectSameAfter('0072_narrow_levels.sql', async () => {
    await storeWideLevels();
    expect(await definitions()).not.toEqual(defined);
  });
  expect(settled.sale_level?.length).toBeGreaterThan(50);
  expect(await definitions()).toEqual(defined);
});

it('the migration of first states leaves the states that later events gave a sale, and a replay finds nothing', async () => {
  const rows = { rowsDiffer: true };
  const settled = await ledger.expectSameAfter('0085_first_states.sql', storeFirstStates, rows);
  expect(settled.sale_version?.length).toBeGreaterThan(20);
  expect(settled.sale?.length).toBeGreaterThan(settled.sale_version?.length ?? 0);
  const { campaigns } = await replay({
    ...{ pool: ledger.pool, keccak256: keccak, fromBlock: 0, shadow: true, batchSize: 100 },
    onProgress: () => {},
  });
  expect(campaigns.map(({ outcome }) => outcome)).toEqual(['equal', 'equal', 'equal']);
});

it('settlement goes on after the migrations as if there had been none', () =>
  ledger.expectToGoOn(facts));
