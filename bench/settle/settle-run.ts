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
import { type DiskBytes, diskBytes, type ServerCosts, watchServer } from './costs.ts';
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
  readonly server: ServerCosts;
  readonly disk: DiskBytes;
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
    const watched = await watchServer(pool);
    const waits = sampleWaits(pool);
    const settled = await timed(
      async () => {
        await release(pool, endOf(indexed));
        await untilFolded(pool, indexed.events);
      },
      () => '',
    );
    const waited = await waits.stop();
    // While the workers are connected: a session that has ended is no longer counted.
    const server = await watched.stop();
    const usage = await Promise.all(processes.map((one) => one.stop()));
    const checksum = await ledgerChecksum(pool);
    await inspect?.(pool);
    const disk = await diskBytes(pool);
    return { ms: settled.ms, checksum, usage, waits: waited, server, disk };
  } finally {
    await pool.end();
    await dropDatabase(server, name);
  }
}
