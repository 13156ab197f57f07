import { afterEach, beforeEach, expect, it } from 'vitest';
import { formatEventId } from '../../engine/core/event-id.ts';
import type { Fact } from '../../engine/core/events.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
import { IndexerTable } from '../support/indexer-table.ts';
import { differences, dumpLedger, type LedgerDump } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const NEW = 'indexer_new';

/** Each event is in a transaction of its own, because its index is part of the id. */
const facts: readonly Fact[] = randomHistory({ seed: 75, steps: 200, campaigns: 3 }).map((fact) => {
  const parts = { ...fact, chainId: '31337', transactionIndex: 2 * fact.logIndex + 1 };
  return { ...fact, id: formatEventId(parts) };
});
const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;

let databases: TestDatabase[];
let fixtures: SettleFixture[];

beforeEach(() => {
  [databases, fixtures] = [[], []];
});
afterEach(async () => {
  for (const { pool } of fixtures) await pool.end();
  for (const database of databases) await database.drop();
});

async function open(): Promise<SettleFixture> {
  const database = await createTestDatabase();
  databases.push(database);
  const fixture = await SettleFixture.open(database.url);
  fixtures.push(fixture);
  return fixture;
}

/** The ledger of an indexer of this version. */
async function expected(history = facts): Promise<LedgerDump> {
  const fixture = await open();
  await fixture.index(history);
  await fixture.settle();
  return await dumpLedger(fixture.pool);
}

/** A ledger over the table of an indexer of a version before, with Ponder's event id in its key. */
async function openFormer(): Promise<SettleFixture> {
  const fixture = await open();
  await fixture.table.keyByEventId();
  return fixture;
}

it('settles the facts of an indexer of a version before, with the same digests, through a reorg', async () => {
  const fixture = await openFormer();
  await fixture.index(facts);
  await fixture.settle(7);
  expect(differences(await expected(), await dumpLedger(fixture.pool))).toEqual([]);

  const replaced = facts
    .filter(({ blockNumber }) => blockNumber >= middle)
    .map((fact) => ({ ...fact, blockHash: hash(`other ${fact.blockNumber}`) }));
  await fixture.index(replaced);
  await fixture.settle(7);
  const before = facts.filter(({ blockNumber }) => blockNumber < middle);
  const after = await expected([...before, ...replaced]);
  expect(differences(after, await dumpLedger(fixture.pool))).toEqual([]);
});

it('goes on with the new indexer where the one of a version before has ended', async () => {
  const fixture = await openFormer();
  await fixture.index(facts.filter(({ blockNumber }) => blockNumber < middle));
  await fixture.settle();
  const { pool, chain } = fixture;
  const before = await dumpLedger(pool);

  const table = new IndexerTable(pool, NEW);
  await table.create();
  await setIndexerSchema(pool, NEW);
  chain.follow(facts);
  await fixture.settle();
  // It has indexed nothing yet, so nothing is rolled back.
  expect(differences(before, await dumpLedger(pool))).toEqual([]);

  await table.insert(facts);
  const last = facts.at(-1);
  await table.setHead({ number: last?.blockNumber ?? 0, timestamp: last?.timestamp ?? 0 });
  await fixture.settle();
  const after = await expected();
  expect(after.journal?.length).toBe(facts.length);
  expect(differences(after, await dumpLedger(pool))).toEqual([]);
});

it('makes an index in the order of the chain for the table of a version before alone', async () => {
  const indexes = async ({ pool, table }: SettleFixture) => {
    const rows = await pool<{ columns: string }[]>`
      select regexp_replace(indexdef, '.*USING btree ', '') as columns from pg_indexes
      where schemaname = ${table.schema} and tablename = 'chain_event' order by 1`;
    return rows.map(({ columns }) => columns);
  };
  const [former, present] = [await openFormer(), await open()];
  await former.pool`
    create index tributary_fact_block on ${former.pool(former.table.schema)}.chain_event (block_number)`;
  for (const fixture of [former, present]) await fixture.tick();
  expect(await indexes(present)).toEqual([
    '(((block_number + 0)))',
    '(campaign_id, block_number, log_index)',
  ]);
  expect(await indexes(former)).toEqual([
    '(((block_number + 0)))',
    '(campaign_id, block_number, log_index)',
    '(campaign_id, id)',
  ]);
});
