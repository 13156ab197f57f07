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
  await pool`drop index ledger.sale_level_recipient, ledger.journal_sale`;
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
    select pg_get_viewdef(name::regclass) as line
    from unnest(array['ledger.sale_account', 'ledger.sale_sum']) name
    order by 1`;
  return rows.map(({ line }) => line);
}

/** Makes the table what it was when it had the first state of each sale. */
async function storeFirstStates(): Promise<void> {
  await ledger.pool`
    insert into ledger.sale_version
    select campaign_id, sale_id, seq, 'pending', 0, null from ledger.sale`;
}

/** Makes the table what it was when each level had the hold of its sale, and an index of it. */
async function storeHolds(): Promise<void> {
  await ledger.pool.begin(async (sql) => {
    const views = await sql<{ name: string; text: string }[]>`
      select name, pg_get_viewdef(name::regclass) as text
      from unnest(array['ledger.sale_account', 'ledger.sale_sum']) name`;
    for (const { name } of views) await sql`drop view ${sql(name)}`;
    await sql`alter table ledger.sale_level rename to narrow_level`;
    await sql`
      create table ledger.sale_level (campaign_id bigint not null, sale_id bigint not null,
        level smallint not null,
        recipient bytea not null constraint sale_level_bytes check (octet_length(recipient) = 20),
        node_id bigint not null, hold_until bigint not null, share numeric not null,
        reserved numeric not null, released numeric not null, vested numeric not null,
        reversed numeric not null, vested_seq bigint, reserved_after numeric)`;
    await sql`
      insert into ledger.sale_level
      select campaign_id, sale_id, level, recipient, level.node_id, hold_until, share, reserved,
        released, vested, reversed, vested_seq, reserved_after
      from ledger.narrow_level level join ledger.sale using (campaign_id, sale_id)`;
    await sql`drop table ledger.narrow_level`;
    await sql`
      create index sale_level_held on ledger.sale_level (campaign_id, hold_until) where reserved <> 0`;
    await sql`create index sale_level_newest on ledger.sale_level (recipient, sale_id)`;
    await sql`alter table ledger.sale_level add primary key (campaign_id, sale_id, level)`;
    await sql`
      create index sale_level_recipient on ledger.sale_level (recipient, campaign_id, sale_id)`;
    for (const { name, text } of views) await sql.unsafe(`create view ${name} as ${text}`);
  });
}

it('the migration to narrow levels makes the tables that settlement writes, with the same rows and root', async () => {
  const defined = await definitions();
  const settled = await ledger.expectSameAfter('0072_narrow_levels.sql', async () => {
    await storeWideLevels();
    expect(await definitions()).not.toEqual(defined);
  });
  expect(settled.sale_level?.length).toBeGreaterThan(50);
  await ledger.apply('0088_fewer_entries.sql');
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

it('the migration of holds leaves levels without them, with the same rows, tables and root', async () => {
  const defined = await definitions();
  const settled = await ledger.expectSameAfter(
    '0086_levels_without_hold.sql',
    async () => {
      await storeHolds();
      expect(await definitions()).not.toEqual(defined);
    },
    { rowsDiffer: true },
  );
  expect(settled.sale_level?.some((row) => !row.includes('"reserved": 0,'))).toBe(true);
  await ledger.apply('0088_fewer_entries.sql');
  expect(await definitions()).toEqual(defined);
});

it('settlement goes on after the migrations as if there had been none', () =>
  ledger.expectToGoOn(facts));
