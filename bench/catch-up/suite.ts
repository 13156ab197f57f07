import { join } from 'node:path';
import type { Pool } from '../../engine/db/connection.ts';
import type { TestChain } from '../../test/support/chain.ts';
import { startTestIndexer } from '../../test/support/indexer.ts';
import { checksumOf, interleaved, rates, type Sample, timed } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { inDatabase, indexedToHead } from '../support/indexed.ts';
import { startSalesChain } from '../support/sales-chain.ts';
import { copyLogs } from './ceiling.ts';
import {
  fill,
  GENESIS_TIMESTAMP,
  ingestAndSettle,
  LONGEST_MS,
  type Shape,
  withPool,
} from './runs.ts';

const SHAPES: readonly Shape[] = [
  { blocks: 2_000, salesPerBlock: 50 },
  { blocks: 100, salesPerBlock: 500 },
  { blocks: 2_000, salesPerBlock: 1 },
];
const QUICK: readonly Shape[] = [{ blocks: 100, salesPerBlock: 20 }];

/** A chain's whole history, from an empty database on. */
export const catchUpSuite: Suite = {
  name: 'catch-up',
  about: 'a history of sales on anvil, from an empty database to indexed, and to settled',
  run: async (bench) => {
    const results: Result[] = [];
    for (const shape of bench.quick ? QUICK : SHAPES)
      results.push(...(await ofShape(bench, shape)));
    return results;
  },
};

async function ofShape(bench: Bench, shape: Shape): Promise<readonly Result[]> {
  const { blocks, salesPerBlock } = shape;
  const sales = await startSalesChain({ genesisTimestamp: GENESIS_TIMESTAMP });
  try {
    bench.log(`making ${blocks} blocks of ${salesPerBlock} sales`);
    await fill(sales, shape);
    const { chain } = sales;
    const samples = await interleaved(bench.rounds, {
      ceiling: () => inDatabase(bench, 'catch_up', (url) => ceiling(chain, url)),
      ingest: () => inDatabase(bench, 'catch_up', (url) => ingest(chain, url)),
      settle: () => inDatabase(bench, 'catch_up', (url) => ingestAndSettle(bench, chain, url)),
    });
    const events = blocks * salesPerBlock;
    // What was copied is what was indexed, row by row: each is the other's proof.
    const [copied, indexed] = [samples.ceiling[0]?.checksum, samples.ingest[0]?.checksum];
    if (copied !== indexed) throw new Error('the indexer has other rows than the chain');
    const figure = rates(samples.ceiling, events);
    const line = (what: string, ours: readonly Sample[], aim: number): Result => {
      const rate = rates(ours, events);
      const ratio = ratioOf('events/s', rate, figure);
      return {
        workload: `${what}: ${blocks} blocks of ${salesPerBlock}`,
        unit: 'events/s',
        ours: rate,
        ceiling: { name: 'getLogs + decode + COPY', figure },
        ratio,
        aim: { text: `≥ ${aim}`, met: ratio >= aim },
        checksum: ours[0]?.checksum ?? null,
      };
    };
    return [
      line('indexed', samples.ingest, 0.65),
      line('indexed and settled', samples.settle, 0.35),
    ];
  } finally {
    await sales.stop();
  }
}

/** Copies the logs into an empty database. */
export async function ceiling(chain: TestChain, url: string): Promise<Sample> {
  return await timed(
    () => copyLogs(chain, url),
    () => withPool(url, (pool) => rowsOf(pool, 'public')),
  );
}

/** Indexes the chain into an empty database, from the start of the indexer to the head. */
export async function ingest(chain: TestChain, url: string): Promise<Sample> {
  const logFile = join(chain.dir, 'indexer.log');
  const started = performance.now();
  const indexer = await startTestIndexer(chain, url, { logFile });
  try {
    return await withPool(url, async (pool) => {
      await indexedToHead(chain, pool, indexer.schema, LONGEST_MS);
      const ms = performance.now() - started;
      return { ms, checksum: await rowsOf(pool, indexer.schema) };
    });
  } finally {
    await indexer.stop();
  }
}

/** Number and hash of all rows of the canonical log. */
export async function rowsOf(pool: Pool, schema: string): Promise<string> {
  const [row] = await pool<{ rows: string; hash: string }[]>`
    select count(*) as rows, md5(string_agg(concat_ws(' ', campaign_id, block_number, block_hash,
      block_timestamp, transaction_hash, transaction_index, log_index, name, args::jsonb), ','
      order by block_number, log_index)) as hash
    from ${pool(schema)}.chain_event`;
  return checksumOf(`${row?.rows} ${row?.hash}`);
}
