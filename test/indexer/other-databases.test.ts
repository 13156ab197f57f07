import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDatabase } from '../../engine/cli/stack/database.ts';
import { closePool, openPool } from '../../engine/db/connection.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { pgbouncerIsInstalled, startPgBouncer } from '../support/pgbouncer.ts';
import { startTlsPostgres } from '../support/tls-postgres.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

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

/** Indexes what is there and what comes then, and compares all rows with the chain. */
async function indexInto(databaseUrl: string): Promise<void> {
  const pool = openPool(databaseUrl, { max: 1 });
  const indexer = await startTestIndexer(chain, databaseUrl);
  try {
    await indexer.ready();
    await traffic.play(5);
    const expected = await factsOfChain(chain);
    const rows = await waitFor(
      async () => {
        const found = await indexedFacts(pool, indexer.schema);
        return found.length >= expected.length && found;
      },
      { what: `${expected.length} rows of chain_event`, timeout: 60_000 },
    );
    expect(rows).toEqual(expected);
  } finally {
    await indexer.stop();
    await closePool(pool);
  }
}

it('indexes into a server with TLS whose authority the URL names', async () => {
  const server = await startTlsPostgres();
  try {
    const url = await createDatabase(
      server.urlWith(`sslmode=verify-full&sslrootcert=${encodeURIComponent(server.authority)}`),
      'shop',
    );
    await indexInto(url);
  } finally {
    await server.remove();
  }
}, 240_000);

it.skipIf(!pgbouncerIsInstalled)(
  'indexes through PgBouncer with session pooling',
  async () => {
    const pooler = await startPgBouncer(database.url, 'session');
    try {
      await indexInto(pooler.url);
    } finally {
      await pooler.stop();
    }
  },
  240_000,
);
