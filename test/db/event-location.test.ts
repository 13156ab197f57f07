import { expect, it } from 'vitest';
import { formatEventId } from '../../engine/core/event-id.ts';
import { randomHistory } from '../support/history.ts';
import { firstHalf, useMigratedLedger } from '../support/migrated-ledger.ts';

/** The fold needs no index of a transaction, so each event can be in another one. */
const facts = randomHistory({ seed: 71, steps: 260, campaigns: 3 }).map(
  (fact, transactionIndex) => {
    const parts = { ...fact, chainId: '31337', transactionIndex };
    return { ...fact, id: formatEventId(parts) };
  },
);
const first = firstHalf(facts);
const ledger = useMigratedLedger(first);

/** Makes the tables what they were when they had event ids, with the ids of the facts. */
async function storeEventIds(): Promise<void> {
  const { pool } = ledger;
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

/** Recorded facts of blocks that are not final, as text. */
async function recorded(): Promise<string[]> {
  const rows = await ledger.pool<{ row: string }[]>`
    select to_jsonb(k)::text as row from ledger.checked_log k order by row`;
  return rows.map(({ row }) => row);
}

it('the migration from event ids to locations makes the ledger that settlement writes, with the same root', async () => {
  const known = await recorded();
  expect(known).toHaveLength(first.length);
  const rows = { rowsDiffer: true };
  const settled = await ledger.expectSameAfter('0071_event_location.sql', storeEventIds, rows);
  expect(settled.journal?.length).toBe(first.length);
  expect(await recorded()).toEqual(known);
});

it('settlement goes on after the migration as if there had been none', () =>
  ledger.expectToGoOn(facts));
