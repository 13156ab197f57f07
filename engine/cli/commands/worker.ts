import type { Logger } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { closePool, type Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { auditChore } from '../../jobs/audit.ts';
import { chores } from '../../jobs/chores.ts';
import { openJobQueue } from '../../jobs/queue.ts';
import { startJobs } from '../../jobs/worker.ts';
import { keeperChain } from '../../keeper/chain.ts';
import { startKeeper } from '../../keeper/start-keeper.ts';
import { BATCH_SIZE, CONCURRENCY } from '../../settlement/defaults.ts';
import { openKeccak } from '../../settlement/keccak.ts';
import { openQueue } from '../../settlement/queue.ts';
import { startWorker } from '../../settlement/worker.ts';
import { batchSpan } from '../batch-span.ts';
import {
  type DeploymentEnv,
  openChain,
  openDatabase,
  queuePrefix,
  requireDeployment,
  untilStopped,
  VIEWS_SCHEMA,
} from '../connect.ts';
import { contractReader } from '../contract-reader.ts';
import { makeLogger } from '../logger.ts';
import { serveMetrics } from '../metrics-server.ts';
import { openStorage } from '../storage.ts';
import { Teardown } from '../teardown.ts';
import { startTracing } from '../telemetry.ts';
import { workerMetrics } from '../worker-metrics.ts';

/** Milliseconds between two looks of the feeder where nothing wakes it (docs: facts, NOTIFY). */
const POLL_MS = 250;

/** Milliseconds between two looks of the keeper. */
const KEEPER_MS = 15_000;

/** Background jobs that one worker does at once: reports, and chores between them. */
const JOBS_CONCURRENCY = 2;

/** Milliseconds between two looks for chores that are due. */
const CHORES_POLL_MS = 5_000;

/** `tributary worker`: settles and does background jobs until it is told to stop. Any number may run. */
export async function runWorker(env: Env): Promise<void> {
  const teardown = new Teardown();
  try {
    await run(env, teardown);
  } finally {
    await teardown.run();
  }
}

async function run(env: Env, teardown: Teardown): Promise<void> {
  const deployment = requireDeployment(env);
  const log = makeLogger({ level: env.logLevel, base: { process: 'worker', pid: process.pid } });
  const connections = CONCURRENCY + 2 * JOBS_CONCURRENCY + 6;
  const pool = openDatabase(deployment, 'worker', { max: connections });
  teardown.add('the database pool', () => closePool(pool));
  await migrate(pool);
  const queues = {
    redisUrl: env.redisUrl,
    databaseUrl: deployment.databaseUrl,
    prefix: queuePrefix(deployment),
  };
  const [queue, jobQueue] = await Promise.all([openQueue(queues), openJobQueue(queues)]);
  teardown.add('the queues', () => Promise.all([queue.close(), jobQueue.close()]));
  const metrics = workerMetrics();
  teardown.add('tracing', await startTracing(env, 'worker'));
  if (env.metricsPort !== undefined) {
    const server = await serveMetrics(env, env.metricsPort, metrics.text);
    teardown.add('the metrics', () => server.close());
  }
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
    onBatch: (batch) => {
      metrics.batch(batch);
      batchSpan(batch);
    },
  });
  const jobs = startJobs({
    pool,
    files: openStorage(env),
    queue: jobQueue,
    log,
    clock: Date.now,
    concurrency: JOBS_CONCURRENCY,
    pollMs: CHORES_POLL_MS,
    chores: { ...chores, 'ledger.audit': auditChore(contractReader(deployment.chain)) },
  });
  const keeper = openKeeper(env, deployment, pool, log);
  log.info({ queue: queue.backend, keeper: keeper !== undefined }, 'the worker runs');
  await untilStopped();
  await keeper?.stop();
  await Promise.all([worker.stop(), jobs.stop()]);
  await teardown.run();
  log.info('the worker has stopped');
}

/** The keeper, where the configuration has a key for it. Of several workers one at a time acts. */
function openKeeper(env: Env, { chain }: DeploymentEnv, pool: Pool, log: Logger) {
  if (env.keeper === undefined) return undefined;
  const { privateKey, maxGas, maxFeePerGas } = env.keeper;
  return startKeeper({
    pool,
    chain: keeperChain({ ...chain, account: privateKeyToAccount(privateKey) }),
    maxGas,
    maxFeePerGas,
    everyMs: KEEPER_MS,
    log,
  });
}
