import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IdleCampaigns } from '../../bench/feeder/idle-campaigns.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { advanceSettledBlock, feed } from '../../engine/settlement/feeder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { PushedJobs } from '../support/settle-jobs.ts';

const CAMPAIGNS = 3_000;

/** Rows that the server read of the tables that have a row for each campaign. */
interface RowsRead {
  readonly name: string;
  readonly rows: number;
}

describe('a tick of the feeder while nothing happens in thousands of campaigns', () => {
  let database: TestDatabase;
  let pool: Pool;
  let idle: IdleCampaigns;

  beforeAll(async () => {
    database = await createTestDatabase();
    const made = openPool(database.url, { max: 2 });
    await migrate(made);
    idle = await IdleCampaigns.make(made, CAMPAIGNS);
    pool = openPool(database.url, { max: 1 });
  }, 240_000);
  afterAll(async () => {
    await pool?.end();
    await idle?.pool.end();
    await database?.drop();
  });

  async function rowsRead(): Promise<readonly RowsRead[]> {
    await pool`select pg_stat_force_next_flush()`;
    return await pool<RowsRead[]>`
      select relname as name, (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as rows
      from pg_stat_user_tables
      where relname in ('cursor', 'published_seq', 'journal', 'chain_event', 'campaign') order by relname`;
  }

  /** Rows that a piece of work reads, by table. */
  async function readBy(work: () => Promise<unknown>): Promise<Record<string, number>> {
    const before = new Map((await rowsRead()).map(({ name, rows }) => [name, rows]));
    await work();
    const after = await rowsRead();
    return Object.fromEntries(
      after.map(({ name, rows }) => [name, rows - (before.get(name) ?? 0)]),
    );
  }

  function options(queue: PushedJobs) {
    const onChainError = (error: unknown) => {
      throw error;
    };
    return { pool, chain: idle.chain, queue, onChainError, sweep: { after: '-1' } };
  }

  it('reads the campaigns that changed and a bounded slice of the others, and settles all the same', async () => {
    for (let tick = 0; tick < 4; tick += 1) await feed(options(new PushedJobs()));
    const queue = new PushedJobs();
    await idle.nextBlock([1_234]);
    const tick = await readBy(() => feed(options(queue)));
    expect(queue.jobs).toEqual([['1234']]);
    await idle.fold([1_234]);
    const follow = await readBy(() => advanceSettledBlock(options(new PushedJobs())));
    // A sweep reads 200 campaigns, with a few probes each; the tables have 3,000 rows and more.
    for (const [table, rows] of Object.entries(tick)) {
      expect(rows, `${table} in a tick`).toBeLessThan(CAMPAIGNS / 2);
    }
    for (const [table, rows] of Object.entries(follow)) {
      expect(rows, `${table} in following up`).toBeLessThan(50);
    }
    const [row] = await pool<{ settled: boolean; changes: number; behind: number }[]>`
      select settled_number = indexed_number as settled,
        (select count(*)::int from ledger.change) as changes,
        (select count(*)::int from ledger.behind) as behind
      from ledger.head`;
    expect(row).toEqual({ settled: true, changes: 1, behind: 0 });
  });

  it('finds an unrecorded fact by the sweep, some ticks later', async () => {
    const sweep = { after: '-1' };
    await idle.nextBlock([2_900]);
    await feed({ ...options(new PushedJobs()), sweep });
    await pool`delete from ledger.behind`;
    const found: string[] = [];
    for (let tick = 0; tick < CAMPAIGNS / 100 && found.length === 0; tick += 1) {
      const queue = new PushedJobs();
      await pool`update ledger.checked_head set final_number = number`;
      await feed({ ...options(queue), sweep });
      found.push(...queue.campaignIds);
    }
    expect(found).toEqual(['2900']);
  });
});
