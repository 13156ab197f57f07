import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { type LedgerTable, ledgerTables } from '../../engine/db/ledger-tables.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';

/**
 * Tables that do not follow from the chain's events alone: positions, what was published, audits. And
 * `merchant_partner`, whose rows are sums over several campaigns.
 */
const OTHER_TABLES = [
  'audit',
  'audit_finding',
  'behind',
  'change',
  'checked_block',
  'checked_head',
  'checked_log',
  'cursor',
  'deployment',
  'feeder_error',
  'finality_tag',
  'head',
  'leader',
  'merchant_partner',
  'published_seq',
  'refused_campaign',
  'retracted_sale',
  'stale_publication',
];

interface Table {
  name: string;
  columns: string[];
  key: string[];
}

describe('the list of ledger tables', () => {
  let database: TestDatabase;
  let pool: Pool;
  let stored: readonly Table[];

  beforeAll(async () => {
    database = await createTestDatabase();
    pool = openPool(database.url, { max: 1 });
    stored = await pool<Table[]>`
      select t.relname as name, (
        select array_agg(attname::text) from pg_attribute
        where attrelid = t.oid and attnum > 0 and not attisdropped
      ) as columns, (
        select array_agg(a.attname::text order by k.position) from pg_index i
        cross join lateral unnest(i.indkey::int2[]) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
        where i.indrelid = t.oid and i.indisprimary
      ) as key
      from pg_class t where t.relnamespace = 'ledger'::regnamespace and t.relkind = 'r'
      order by t.relname`;
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('names every table of the ledger that follows from the events of the chain', () => {
    const names = [...ledgerTables.map(({ name }) => name), ...OTHER_TABLES];
    expect(stored.map(({ name }) => name)).toEqual(names.sort());
  });

  it.each<LedgerTable>(ledgerTables)('gives the primary key of $name', ({ name, key }) => {
    const { key: keyOfTable = [] } = stored.find((table) => table.name === name) ?? {};
    const [first, ...others] = keyOfTable;
    expect(first).toBe('campaign_id');
    expect([...others].sort()).toEqual([...key].sort());
  });

  it('calls exactly those tables rows of events that have a sequence number and are no newest state', () => {
    const ofEvents = ledgerTables.filter(({ of }) => of === 'event' || of === 'saleEvent');
    const withSeq = stored.filter(
      ({ name, columns }) =>
        columns.includes('seq') && name !== 'sale' && !OTHER_TABLES.includes(name),
    );
    expect(ofEvents.map(({ name }) => name).sort()).toEqual(withSeq.map(({ name }) => name));
  });
});
