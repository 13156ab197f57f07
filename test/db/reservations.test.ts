import { expect, it } from 'vitest';
import { applyAll, emptyCampaign } from '../../engine/core/fold/index.ts';
import { randomHistory } from '../support/history.ts';
import { useMigratedLedger } from '../support/migrated-ledger.ts';

const CAMPAIGNS = 3;

const facts = randomHistory({ seed: 44, steps: 320, campaigns: CAMPAIGNS });
const ledger = useMigratedLedger(facts);

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
  const { pool } = ledger;
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

it('the migration of reservations from entries to levels makes the ledger that settlement writes, with the same root', async () => {
  expect(reservations.length).toBeGreaterThan(50);
  const store = async () => {
    await storeReservations();
    const stored = await ledger.pool`select 1 from ledger.entry where kind = 'reserve'`;
    expect(stored).toHaveLength(reservations.length);
  };
  await ledger.expectSameAfter('0063_reservations.sql', store, { rowsDiffer: true });
});

it('the ledger refuses a reservation as an entry, as a worker of an older version would write it', async () => {
  const insert = ledger.pool`
    insert into ledger.entry select campaign_id, seq, 99, block_number, 'reserve', account, sale_id, level,
      node_id, amount, reserved_after, claimable_after, claimed_after, refunded_after, reversed_after,
      held_after
    from ledger.entry limit 1`;
  await expect(insert).rejects.toThrow('entry_is_no_reservation');
});
