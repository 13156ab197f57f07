import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { ledgerChecksum } from '../data/ledger-checksum.ts';
import {
  cloneDatabase,
  endOf,
  type Indexed,
  release,
  untilFolded,
} from '../data/settle-database.ts';
import { type Sample, timed } from '../harness/measure.ts';
import { sampleWaits, type Waits } from './waits.ts';
import { defaults, startWorkerProcess, type Usage } from './workers.ts';

/** How a history is settled. */
export interface SettleRun {
  readonly workers?: number;
  readonly redisUrl?: string | undefined;
  /** Facts a batch; default as a deployment has it. */
  readonly batchSize?: number;
  /** Looks at the ledger before it is dropped. */
  readonly inspect?: (pool: Pool) => Promise<void>;
}

/** A run, and what its processes took. */
export interface Settled extends Sample {
  readonly usage: readonly Usage[];
  readonly waits: Waits;
}

/**
 * Settles a copy of a history by worker processes that run already, from the moment that they see it
 * to the last event folded.
 */
export async function settleCopy(
  server: string,
  indexed: Indexed,
  { workers: count = 1, redisUrl, batchSize = defaults.batchSize, inspect }: SettleRun = {},
): Promise<Settled> {
  const name = `${indexed.name}_run`;
  const databaseUrl = await cloneDatabase(server, indexed.name, name);
  const pool = openPool(databaseUrl, { max: 3, applicationName: 'bench' });
  try {
    // Nothing that an earlier run left in a Redis is this one's.
    const prefix = `bench-${process.pid}-${performance.now()}`;
    const head = endOf(indexed);
    const settings = { ...defaults, batchSize, databaseUrl, redisUrl, prefix, head };
    const processes = await Promise.all(
      Array.from({ length: count }, () => startWorkerProcess(settings)),
    );
    const waits = sampleWaits(pool);
    const sample = await timed(
      async () => {
        await release(pool, endOf(indexed));
        await untilFolded(pool, indexed.events);
      },
      () => ledgerChecksum(pool),
    );
    const waited = await waits.stop();
    const usage = await Promise.all(processes.map((one) => one.stop()));
    await inspect?.(pool);
    return { ...sample, usage, waits: waited };
  } finally {
    await pool.end();
    await dropDatabase(server, name);
  }
}
