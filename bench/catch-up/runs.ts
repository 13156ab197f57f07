import { join } from 'node:path';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import type { TestChain } from '../../test/support/chain.ts';
import { settledToHead, TestDeployment } from '../../test/support/deployment.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import { checksumOf, type Sample } from '../harness/measure.ts';
import type { Bench } from '../harness/suite.ts';
import { indexedToHead } from '../support/indexed.ts';
import type { SalesChain } from '../support/sales-chain.ts';

/** A history of sales. */
export interface Shape {
  readonly blocks: number;
  readonly salesPerBlock: number;
}

/** The time of every genesis block, so that each run's chain is the same. */
export const GENESIS_TIMESTAMP = 1_750_000_000;

export const LONGEST_MS = 600_000;

/** Mines a history. */
export async function fill(
  { mineSales }: SalesChain,
  { blocks, salesPerBlock }: Shape,
): Promise<void> {
  for (let i = 0; i < blocks; i += 1) await mineSales(salesPerBlock);
}

/**
 * Indexes and settles a chain from an empty database on.
 * @param rpcUrl default: anvil's own.
 */
export async function ingestAndSettle(
  bench: Bench,
  chain: TestChain,
  url: string,
  rpcUrl = chain.anvil.url,
): Promise<Sample> {
  const database = { url, drop: async () => {} };
  const started = performance.now();
  const deployment = await TestDeployment.open(chain, { database });
  const since = () => Math.round(performance.now() - started);
  try {
    await deployment.startIndexer({
      rpcUrls: [rpcUrl],
      logFile: join(chain.dir, 'indexer.log'),
    });
    deployment.startWorker({ RPC_URL: rpcUrl });
    const { pool, indexer } = deployment;
    await waitFor(() => hasSettled(pool), { what: 'a settled event', timeout: LONGEST_MS });
    const first = since();
    await indexedToHead(chain, pool, indexer.schema, LONGEST_MS);
    const indexed = since();
    await settledToHead(deployment, LONGEST_MS);
    const ms = performance.now() - started;
    bench.log(`first settled at ${first} ms, all indexed at ${indexed}, settled at ${since()}`);
    return { ms, checksum: await digestOf(pool) };
  } finally {
    await deployment.close();
  }
}

async function hasSettled(pool: Pool): Promise<boolean> {
  return (await pool`select 1 from ledger.cursor where seq > 0 limit 1`).length > 0;
}

/** Does a piece of work with connections of its own. */
export async function withPool<T>(url: string, work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool(url, { max: 2 });
  try {
    return await work(pool);
  } finally {
    await pool.end();
  }
}

/** Checksum of all campaigns' running digests: independent of the batches. */
async function digestOf(pool: Pool): Promise<string> {
  const rows = await pool<{ campaign_id: string; seq: string; digest: string }[]>`
    select campaign_id, seq, digest from ledger.cursor order by campaign_id`;
  return checksumOf(rows.map((row) => `${row.campaign_id} ${row.seq} ${row.digest}`).join('\n'));
}
