import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../engine/cli/stack/database.ts';
import { closePool, openPool, type Pool } from '../../engine/db/connection.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { pgbouncerIsInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { startTlsPostgres } from '../support/tls-postgres.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

/** Steps of which most become final while an indexer runs: it writes those to its cache. */
const MANY = 90;

let chain: TestChain;
let database: TestDatabase;
let traffic: Traffic;

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase({ empty: true }), startTestChain()]);
  traffic = await Traffic.start(chain, 31);
  // Most become final: the indexer loads them in bulk, over a connection of ours next to those of Ponder.
  await traffic.play(90);
}, 120_000);

afterAll(async () => {
  await chain?.stop();
  await database?.drop();
});

/** Indexes what is there and some steps that come then, and compares all rows with the chain. */
async function indexInto(databaseUrl: string, steps: number): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 });
  const indexer = await startTestIndexer(chain, databaseUrl);
  try {
    await indexer.ready();
    await traffic.play(steps);
    const expected = await factsOfChain(chain);
    const rows = await waitFor(
      async () => {
        const found = await indexedFacts(pool, indexer.schema);
        return found.length >= expected.length && found;
      },
      { what: `${expected.length} rows of chain_event`, timeout: 60_000 },
    );
    expect(rows).toEqual(expected);
    if (steps === MANY) {
      const what = 'logs in the cache';
      await waitFor(async () => (await cachedLogs(pool)) > 20, { what });
    }
  } finally {
    await indexer.stop();
    await closePool(pool);
  }
}

async function cachedLogs(pool: Pool): Promise<number> {
  const [row] = await pool<{ logs: number }[]>`select count(*)::int as logs from ponder_sync.logs`;
  return row?.logs ?? 0;
}

it('indexes into a server with TLS whose authority the URL names', async () => {
  const server = await startTlsPostgres();
  try {
    const url = await createDatabase(
      server.urlWith(`sslmode=verify-full&sslrootcert=${encodeURIComponent(server.authority)}`),
      'shop',
    );
    await indexInto(url, 5);
  } finally {
    await server.remove();
  }
}, 240_000);

it.skipIf(!pgbouncerIsInstalled)(
  'indexes through PgBouncer with session pooling',
  async () => {
    const pooler = await startPgBouncer(database.url, 'session');
    try {
      await indexInto(pooler.url, MANY);
    } finally {
      await pooler.stop();
    }
  },
  240_000,
);

it('loses no event if the indexer’s cache was dropped while it was stopped', async () => {
  // Otherwise it was filled through PgBouncer.
  if (!pgbouncerIsInstalled) await indexInto(database.url, MANY);
  const pool = openPool(database.url, { max: 1 });
  try {
    expect(await cachedLogs(pool)).toBeGreaterThan(20);
    await pool`drop schema ponder_sync cascade`;
  } finally {
    await closePool(pool);
  }
  await traffic.play(10);
  await indexInto(database.url, 10);
}, 240_000);
