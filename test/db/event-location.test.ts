import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { formatEventId } from '../../engine/core/event-id.ts';
import { digestRoot } from '../../engine/core/merkle.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const MIGRATION = new URL('../../engine/db/migrations/0071_event_location.sql', import.meta.url);

/** The fold needs no index of a transaction, so each event can be in another one. */
const facts = randomHistory({ seed: 71, steps: 260, campaigns: 3 }).map(
  (fact, transactionIndex) => {
    const parts = { ...fact, chainId: '31337', transactionIndex };
    return { ...fact, id: formatEventId(parts) };
  },
);
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

/** Makes the tables what they were when they had event ids, with the ids of the facts. */
async function storeEventIds(): Promise<void> {
  const { pool } = fixture;
  await pool`alter table ledger.journal rename column transaction_index to event_id`;
  await pool`alter table ledger.journal alter column event_id type text`;
  await pool`alter table ledger.cursor rename column log_index to event_id`;
  await pool`alter table ledger.cursor alter column event_id type text`;
  await pool`alter table ledger.checked_log rename column log_index to event_id`;
  await pool`
    alter table ledger.checked_log drop constraint checked_log_pkey, alter column event_id type text`;
  for (const { campaignId, blockNumber, logIndex, id } of facts) {
    const [at, log] = [
      pool`campaign_id = ${campaignId} and block_number = ${blockNumber}`,
      logIndex,
    ];
    await pool`update ledger.journal set event_id = ${id} where ${at} and log_index = ${log}`;
    await pool`update ledger.cursor set event_id = ${id} where ${at} and event_id = ${String(log)}`;
    await pool`
      update ledger.checked_log set event_id = ${id} where ${at} and event_id = ${String(log)}`;
  }
  await pool`
    alter table ledger.checked_log add primary key (indexer_schema, campaign_id, event_id),
      add constraint checked_log_event_id_check check (event_id ~ '^[0-9]{75}$')`;
}

async function rootOf(): Promise<string> {
  return digestRoot(keccak, await digestsAt(fixture.pool, Number.MAX_SAFE_INTEGER));
}

/** Recorded facts of blocks that are not final, as text. */
async function recorded(): Promise<string[]> {
  const rows = await fixture.pool<{ row: string }[]>`
    select to_jsonb(k)::text as row from ledger.checked_log k order by row`;
  return rows.map(({ row }) => row);
}

it('the migration from event ids to locations makes the ledger that settlement writes, with the same root', async () => {
  const { pool } = fixture;
  const [settled, root, known] = [await dumpLedger(pool), await rootOf(), await recorded()];
  expect(settled.journal?.length).toBe(first.length);
  expect(known).toHaveLength(first.length);
  await storeEventIds();
  expect(differences(settled, await dumpLedger(pool))).not.toEqual([]);

  const migration = await readFile(MIGRATION, 'utf8');
  await pool.begin((sql) => sql.unsafe(migration));
  expect(differences(settled, await dumpLedger(pool))).toEqual([]);
  expect(await recorded()).toEqual(known);
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
