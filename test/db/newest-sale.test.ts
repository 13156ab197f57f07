import { expect, it } from 'vitest';
import { firstSaleId, newestSaleId } from '../../engine/db/read/as-of/balance.ts';
import { randomHistory } from '../support/history.ts';
import { useMigratedLedger } from '../support/migrated-ledger.ts';

const ledger = useMigratedLedger(randomHistory({ seed: 88, steps: 300, campaigns: 2 }));

/** The sales that reads as of each event begin and end with, and those that the order of events says. */
async function bounds(): Promise<{ found: unknown[]; expected: unknown[] }> {
  const { pool } = ledger;
  const at = { campaignId: pool`event.campaign_id`, seq: pool`event.seq` };
  // Also before the first event, and after the newest.
  const rows = await pool<{ found: string; expected: string }[]>`
    select concat_ws(' ', event.campaign_id, event.seq, ${newestSaleId(pool, at)}, '-',
        ${firstSaleId(pool, at)}) as found,
      concat_ws(' ', event.campaign_id, event.seq, (
        select max(sale_id) from ledger.sale
        where campaign_id = event.campaign_id and seq <= event.seq
      ), '-', (
        select min(sale_id) from ledger.sale
        where campaign_id = event.campaign_id and seq >= event.seq
      )) as expected
    from ledger.cursor
    cross join lateral (
      select campaign_id, generate_series(0, seq + 1) as seq
    ) event`;
  return {
    found: rows.map((row) => row.found),
    expected: rows.map((row) => row.expected),
  };
}

it('finds the first and the newest sale as of every event, also if many blocks have one time', async () => {
  const { found, expected } = await bounds();
  expect(expected.length).toBeGreaterThan(250);
  expect(new Set(expected.map((line) => String(line).split(' ')[2])).size).toBeGreaterThan(30);
  expect(found).toEqual(expected);
  await ledger.pool`update ledger.journal set block_timestamp = block_timestamp / 100000`;
  await ledger.pool`update ledger.sale set block_timestamp = block_timestamp / 100000`;
  const [times] = await ledger.pool<{ times: number; events: number }[]>`
    select count(distinct block_timestamp)::int as times, count(*)::int as events from ledger.journal`;
  expect(times?.times).toBeLessThan((times?.events ?? 0) / 5);
  const fast = await bounds();
  expect(fast.found).toEqual(expected);
});
