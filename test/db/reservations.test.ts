import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { applyAll, emptyCampaign } from '../../engine/core/fold/index.ts';
import { digestRoot } from '../../engine/core/merkle.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const CAMPAIGNS = 3;
const MIGRATION = new URL('../../engine/db/migrations/0063_reservations.sql', import.meta.url);

const facts = randomHistory({ seed: 44, steps: 320, campaigns: CAMPAIGNS });

let database: TestDatabase;
let fixture: SettleFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(facts);
  await fixture.settle();
});
afterAll(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

/** Movements of a campaign, as the fold makes them. */
function foldedEntries(campaignId: string) {
  const own = facts.filter((fact) => fact.campaignId === campaignId);
  return applyAll(emptyCampaign(campaignId), own).applied.flatMap(({ seq, fact, entries }) =>
    entries.map((entry, ordinal) => ({ ...entry, campaignId, seq, fact, ordinal })),
  );
}

const reservations = Array.from({ length: CAMPAIGNS }, (_, i) => foldedEntries(String(i + 1)))
  .flat()
  .filter(({ kind }) => kind === 'reserve');

/** Makes the tables what they were when each reservation had a row of `ledger.entry`. */
async function storeReservations(): Promise<void> {
  const { pool } = fixture;
  await pool`alter table ledger.entry drop constraint entry_is_no_reservation`;
  await pool`alter table ledger.sale_level drop column reserved_after`;
  for (const { campaignId, seq, ordinal, fact, after, ...entry } of reservations) {
    const amounts = [entry.amount, after.reserved, after.claimable, after.claimed, after.refunded];
    await pool`
      insert into ledger.entry
      select ${campaignId}, ${seq}, ${ordinal}, ${fact.blockNumber}, 'reserve', ${entry.account},
        ${entry.saleId}, ${entry.level}, ${entry.nodeId}, amounts[1], amounts[2], amounts[3], amounts[4],
        amounts[5], ${String(after.reversed)}::numeric, ${String(entry.heldAfter)}::numeric
      from (select ${amounts.map(String)}::numeric[] as amounts) entry`;
  }
}

async function rootOf(): Promise<string> {
  return digestRoot(keccak, await digestsAt(fixture.pool, Number.MAX_SAFE_INTEGER));
}

it('the migration of reservations from entries to levels makes the ledger that settlement writes, with the same root', async () => {
  const { pool } = fixture;
  const [settled, root] = [await dumpLedger(pool), await rootOf()];
  expect(reservations.length).toBeGreaterThan(50);
  await storeReservations();
  const stored = await pool`select 1 from ledger.entry where kind = 'reserve'`;
  expect(stored).toHaveLength(reservations.length);
  expect(differences(settled, await dumpLedger(pool))).not.toEqual([]);

  const migration = await readFile(MIGRATION, 'utf8');
  await pool.begin((sql) => sql.unsafe(migration));
  expect(differences(settled, await dumpLedger(pool))).toEqual([]);
  expect(await rootOf()).toBe(root);
  expect(await auditLedger(pool)).toEqual([]);
});

it('the ledger refuses a reservation as an entry, as a worker of an older version would write it', async () => {
  const insert = fixture.pool`
    insert into ledger.entry select campaign_id, seq, 99, block_number, 'reserve', account, sale_id, level,
      node_id, amount, reserved_after, claimable_after, claimed_after, refunded_after, reversed_after,
      held_after
    from ledger.entry limit 1`;
  await expect(insert).rejects.toThrow('entry_is_no_reservation');
});
