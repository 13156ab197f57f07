import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

let database: TestDatabase;
let chain: TestChain;
let pool: Pool;

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  pool = openPool(database.url, { max: 2 });
});
afterAll(async () => {
  await pool?.end();
  await chain?.stop();
  await database?.drop();
});

/** Waits until the indexer's table is what the chain has. */
async function untilEqual(schema: string): Promise<void> {
  const expected = await factsOfChain(chain);
  const rows = await waitFor(
    async () => {
      const found = await indexedFacts(pool, schema);
      return found.length >= expected.length && found;
    },
    { what: `${expected.length} rows of chain_event`, timeout: 60_000 },
  );
  expect(rows).toEqual(expected);
}

async function cachedLogs(): Promise<number> {
  const [row] = await pool<{ logs: number }[]>`select count(*)::int as logs from ponder_sync.logs`;
  return row?.logs ?? 0;
}

test('loses no event if the indexer’s cache was dropped while it was stopped', async () => {
  const traffic = await Traffic.start(chain, 17);
  await traffic.play(20);
  const indexer = await startTestIndexer(chain, database.url);
  await indexer.ready();
  // Of these, most become final while the indexer runs: it writes those to the cache.
  await traffic.play(90);
  await untilEqual(indexer.schema);
  await waitFor(async () => (await cachedLogs()) > 20, { what: 'logs in the cache' });
  await indexer.stop();
  await pool`drop schema ponder_sync cascade`;
  await traffic.play(10);

  const restarted = await startTestIndexer(chain, database.url);
  try {
    await restarted.ready();
    await traffic.play(10);
    await untilEqual(restarted.schema);
  } finally {
    await restarted.stop();
  }
}, 240_000);
