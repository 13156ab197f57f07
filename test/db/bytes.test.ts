import { afterAll, beforeAll, expect, it } from 'vitest';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { hexText } from '../../engine/db/hex.ts';
import { knownMigrations, migrate } from '../../engine/db/migrate.ts';
import { commaSeparated } from '../../engine/db/sql.ts';
import { type FoldedTable, foldedTables, ledger } from '../../engine/db/tables/ledger.ts';
import type { DescribedTable } from '../../engine/db/tables/table.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { rootOf } from '../support/migrated-ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const MIGRATION = '0065_bytes.sql';
/** Move columns of bytes, or drop an index that these need. */
const LATER = ['0072_narrow_levels.sql', '0086_levels_without_hold.sql', '0088_fewer_entries.sql'];

/** Tables that the migration converts, and those that an audit reads with them. */
const TABLES = [
  ...foldedTables.map(({ name }) => name),
  ...['cursor', 'merchant_partner', 'retracted_sale'],
] as (keyof typeof ledger)[];

const records: Readonly<Record<keyof typeof ledger, DescribedTable | FoldedTable>> = ledger;

let database: TestDatabase;
let former: TestDatabase;
let fixture: SettleFixture;
let pool: Pool;

beforeAll(async () => {
  database = await createTestDatabase();
  former = await createTestDatabase({ empty: true });
  fixture = await SettleFixture.open(database.url);
  pool = openPool(former.url, { max: 2 });
  await fixture.index(randomHistory({ seed: 65, steps: 320, campaigns: 3 }));
  await fixture.settle();
  await fixture.pool`
    insert into ledger.retracted_sale (campaign_id, sale_id, sequence, first_seq, merchant, buyer,
      order_key, node_id, sku_hash)
    select campaign_id, sale_id, 7, sale.seq, campaign.merchant, sale.buyer, sale.order_key,
      sale.node_id, sale.sku_hash
    from ledger.sale join ledger.campaign using (campaign_id)`;
  // With the columns that later migrations make: the rows are copied by their names.
  const others = (await knownMigrations()).filter(
    (name) => name !== MIGRATION && !LATER.includes(name),
  );
  await migrate(pool, { only: others });
  for (const table of TABLES) await copyAsText(table);
});
afterAll(async () => {
  await pool?.end();
  await fixture?.pool.end();
  await former?.drop();
  await database?.drop();
});

/** Copies a table of the settled ledger into the one of the former version, with hashes and addresses as text. */
async function copyAsText(table: keyof typeof ledger): Promise<void> {
  const { bytes = [] } = records[table];
  const from = fixture.pool;
  const hashes = bytes.map((name) => from`${name}::text, ${hexText(from, from(`t.${name}`))}`);
  const texts =
    bytes.length === 0 ? from`'{}'` : from`jsonb_build_object(${commaSeparated(from, hashes)})`;
  const dropped =
    table === 'sale_level'
      ? from`(
          select jsonb_build_object('hold_until', sale.hold_until) from ledger.sale
          where sale.campaign_id = t.campaign_id and sale.sale_id = t.sale_id
        )`
      : from`'{}'`;
  const [rows] = await from<{ json: string }[]>`
    select coalesce(jsonb_agg(to_jsonb(t) || ${texts} || ${dropped}), '[]')::text as json
    from ${from(`ledger.${table}`)} t`;
  const columns = await pool<{ name: string }[]>`
    select attname as name from pg_attribute
    where attrelid = ${`ledger.${table}`}::regclass and attnum > 0 and attgenerated = ''
      and not attisdropped`;
  const names = pool(columns.map(({ name }) => name));
  await pool`
    insert into ${pool(`ledger.${table}`)} (${names})
    select ${names} from jsonb_populate_recordset(
      null::${pool(`ledger.${table}`)}, ${rows?.json ?? '[]'}::text::jsonb)`;
}

it('the migration of hashes and addresses to bytes makes the ledger that settlement writes, with the same root', async () => {
  const [settled, root] = [await dumpLedger(fixture.pool), await rootOf(fixture.pool)];
  for (const { name, bytes = [] } of foldedTables.filter((table) => table.bytes !== undefined)) {
    expect(settled[name]?.length, name).toBeGreaterThan(0);
    const [row] = await pool<Record<string, string>[]>`
      select * from ${pool(`ledger.${name}`)} where ${pool(bytes[0] ?? '')} is not null limit 1`;
    expect(row?.[bytes[0] ?? '']).toMatch(/^0x[0-9a-f]{40,64}$/);
  }
  expect(await rootOf(pool)).toBe(root);

  await pool.end();
  // Plans of statements that were prepared before have other types.
  pool = openPool(former.url, { max: 2 });
  await migrate(pool);
  expect(differences(settled, await dumpLedger(pool))).toEqual([]);
  expect(await rootOf(pool)).toBe(root);
  expect(await auditLedger(pool)).toEqual([]);
  const [converted, folded] = await Promise.all(
    [pool, fixture.pool].map(
      (one) => one`
      select merchant, account, links, settled from ledger.merchant_partner
      order by merchant, account`,
    ),
  );
  expect(converted).toEqual(folded);
  expect(folded?.length).toBeGreaterThan(0);
  const types = await pool<{ type: string }[]>`
    select distinct pg_typeof(order_key)::text as type from ledger.retracted_sale`;
  expect(types).toEqual([{ type: 'bytea' }]);
});
