import pino from 'pino';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { openKeccak } from '../../settlement/keccak.ts';
import { openQueue } from '../../settlement/queue.ts';
import { startWorker } from '../../settlement/worker.ts';
import {
  openChain,
  openDatabase,
  queuePrefix,
  requireDeployment,
  untilStopped,
  VIEWS_SCHEMA,
} from '../connect.ts';

/** Facts that one transaction folds at most: memory stays flat, and a commit stays short. */
const BATCH_SIZE = 2_000;

/** Campaigns that one worker settles at once. */
const CONCURRENCY = 4;

/** Milliseconds between two looks of the feeder where nothing wakes it (docs: facts, NOTIFY). */
const POLL_MS = 250;

/** `tributary worker`: settles until it is told to stop. Any number may run. */
export async function runWorker(env: Env): Promise<void> {
  const deployment = requireDeployment(env);
  const log = pino({ level: env.logLevel, base: { process: 'worker', pid: process.pid } });
  const pool = openDatabase(deployment, 'worker', CONCURRENCY + 6);
  await migrate(pool);
  const queue = await openQueue({
    redisUrl: env.redisUrl,
    databaseUrl: deployment.databaseUrl,
    prefix: queuePrefix(deployment),
  });
  const worker = await startWorker({
    pool,
    chain: openChain(deployment),
    queue,
    keccak256: await openKeccak(),
    log,
    batchSize: BATCH_SIZE,
    concurrency: CONCURRENCY,
    pollMs: POLL_MS,
    indexerChannel: `${VIEWS_SCHEMA}_live_query`,
  });
  log.info({ queue: queue.backend }, 'the worker runs');
  await untilStopped();
  await worker.stop();
  await queue.close();
  await pool.end();
  log.info('the worker has stopped');
}
