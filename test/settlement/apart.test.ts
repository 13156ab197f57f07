import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const CAMPAIGNS = 40;

/** Entries of one index that a fact may take to settle: a sale's levels are read up to three times, its path of nodes once. */
const MAX_ENTRIES_A_FACT = 5;

describe('a batch of one of many campaigns', () => {
  let database: TestDatabase;
  let fixture: SettleFixture;
  let pool: Pool;

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = await SettleFixture.open(database.url);
    pool = openPool(database.url, { max: 1 });
    const facts = randomHistory({ seed: 21, steps: 6_000, campaigns: CAMPAIGNS });
    const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
    await fixture.index(
      facts.filter(({ blockNumber }) => blockNumber < middle),
      { finalized: middle - 1 },
    );
    await fixture.settle();
    await fixture.index(
      facts.filter(({ blockNumber }) => blockNumber >= middle),
      { finalized: facts.at(-1)?.blockNumber ?? 0 },
    );
    await fixture.tick();
    // As autovacuum does, while much is behind.
    await pool`analyze`;
    // Ends of holds have passed, too.
    await pool`update ledger.head set settled_timestamp = ${facts.at(-1)?.timestamp ?? 0}`;
  });

  afterAll(async () => {
    await pool.end();
    await fixture.pool.end();
    await database.drop();
  });

  it('reads nothing of the others', async () => {
    const options = { pool, chain: fixture.chain, keccak256: keccak, batchSize: 100 };
    const before = await entriesRead(pool);
    let events = 0;
    for (let id = 1; id <= CAMPAIGNS; id += 1) {
      const [settled] = await settleCampaigns(options, [`${id}`]);
      events += settled?.events ?? 0;
    }
    const after = await entriesRead(pool);
    expect(events).toBeGreaterThan(1_500);
    const read = [...after].map(([index, entries]) => {
      return { index, aFact: (entries - (before.get(index) ?? 0)) / events };
    });
    expect(read.filter(({ aFact }) => aFact > MAX_ENTRIES_A_FACT)).toEqual([]);
  });
});

/** Entries that were read of each index so far, by its name; rows of a table that was read as a whole, by that of the table. */
async function entriesRead(pool: Pool): Promise<ReadonlyMap<string, number>> {
  await pool`select pg_stat_force_next_flush()`;
  const rows = await pool<{ name: string; entries: number }[]>`
    select indexrelname as name, idx_tup_read::int as entries from pg_stat_user_indexes
    union all select relname, seq_tup_read::int from pg_stat_user_tables`;
  return new Map(rows.map(({ name, entries }) => [name, entries]));
}
