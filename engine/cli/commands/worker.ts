import type { Disk } from 'flydrive';
import type { Logger } from 'pino';
import { privateKeyToAccount } from 'viem/accounts';
import { contractReader } from '../../chain/contract-reader.ts';
import { openKeccak } from '../../chain/keccak.ts';
import { keeperChain } from '../../chain/keeper.ts';
import { relayerChain } from '../../chain/relayer.ts';
import { rpcWatch } from '../../chain/rpc-watch.ts';
import { closePool, type Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { auditChore } from '../../jobs/audit.ts';
import { chores } from '../../jobs/chores.ts';
import { runMail } from '../../jobs/mail/run-mail.ts';
import { resealDetailsChore } from '../../jobs/reseal-details.ts';
import { runPublisher, runWebhooks } from '../../jobs/webhooks/run-webhooks.ts';
import { WebhookSender } from '../../jobs/webhooks/send.ts';
import { startJobs } from '../../jobs/worker.ts';
import { startKeeper } from '../../keeper/start-keeper.ts';
import { startRelayer } from '../../keeper/start-relayer.ts';
import type { JobQueue } from '../../queue/job-queue.ts';
import { openQueues } from '../../queue/queues.ts';
import type { SettleQueue } from '../../queue/settle-queue.ts';
import { MAX_BATCH_FACTS, MAX_CONCURRENT_BATCHES } from '../../settlement/defaults.ts';
import { startWorker } from '../../settlement/worker.ts';
import {
  confirmChain,
  type DeploymentEnv,
  openChain,
  openDatabase,
  queuePrefix,
  requireDeployment,
  untilStopped,
  VIEWS_SCHEMA,
} from '../connect.ts';
import { limitHeapGrowth } from '../heap-growth.ts';
import { logHangingCalls } from '../log-hanging-calls.ts';
import { makeLogger } from '../logger.ts';
import { serveMetrics } from '../metrics-server.ts';
import { publicUrlOf } from '../public-url.ts';
import { rpcHealthReporter } from '../report-rpc-health.ts';
import { confirmSurroundings } from '../startup/confirm-surroundings.ts';
import { openStorage } from '../storage.ts';
import { openKeys } from '../stored-keys.ts';
import { Teardown } from '../teardown.ts';
import { batchSpan, startTracing } from '../telemetry.ts';
import { webhookTargetsOf } from '../webhook-targets.ts';
import { type WorkerMetrics, workerMetrics } from '../worker-metrics.ts';

/** Milliseconds between two polls of the feeder if no notification wakes it. */
const POLL_MS = 1_000;

/** Milliseconds between two polls of the keeper. */
const KEEPER_MS = 15_000;

/** Milliseconds between two polls of the relayer, for whom a buyer waits. */
const RELAYER_MS = 1_000;

/** Background jobs that one worker runs concurrently. */
const JOBS_CONCURRENCY = 2;

/** A worker at rest sends short statements, some of them together: one connection serves them. */
const SCARCE = { growMs: 10, idleMs: 500 } as const;

/**
 * Milliseconds that a transaction may wait for its process: one that is paused must not keep its rows for ever. More than
 * a slow storage takes for a part of a report.
 */
const IDLE_TRANSACTION_MS = 300_000;

/** Milliseconds between two polls for chores that are due. */
const CHORES_POLL_MS = 5_000;

/** Runs `tributary worker`: settlement and background jobs, until a signal. Any number may run. */
export async function runWorker(env: Env): Promise<void> {
  await Teardown.after((teardown) => run(env, teardown));
}

async function run(env: Env, teardown: Teardown): Promise<void> {
  limitHeapGrowth();
  const required = requireDeployment(env);
  const log = makeLogger({ level: env.logLevel, base: { process: 'worker', pid: process.pid } });
  await confirmSurroundings('worker', env, (sentence) => log.warn(sentence));
  const connections = MAX_CONCURRENT_BATCHES + 2 * JOBS_CONCURRENCY + 6;
  const settings = { idle_in_transaction_session_timeout: IDLE_TRANSACTION_MS };
  const pool = openDatabase(required, 'worker', { max: connections, ...SCARCE, settings });
  teardown.add('the database pool', () => closePool(pool));
  await migrate(pool, { log: (line) => log.info(line) });
  const deployment = { ...required, chain: await confirmChain(pool, required.chain) };
  teardown.add('the watch over calls', logHangingCalls(log));
  const queues = await openQueues({
    redisUrl: env.redisUrl,
    databaseUrl: deployment.databaseUrl,
    prefix: queuePrefix(deployment),
    isWorker: true,
  });
  teardown.add('the queues', () => queues.close());
  const { queue } = queues;
  const metrics = workerMetrics(pool);
  teardown.add('tracing', await startTracing(env, 'worker'));
  let state: 'starting' | 'running' | 'stopping' = 'starting';
  if (env.metricsPort !== undefined) {
    const server = await serveMetrics(env, env.metricsPort, metrics.text, {
      ready: async () => (state === 'running' ? undefined : `The worker is ${state}.`),
    });
    teardown.add('the metrics', () => server.close());
  }
  const shared = { pool, log, metrics };
  const worker = await startSettlement(deployment, queue, shared);
  const files = await openStorage(env);
  const jobs = startBackgroundJobs(env, deployment, queues.jobs, { ...shared, files });
  const keeper = openKeeper(env, deployment, pool, log);
  const relayer = openRelayer(env, deployment, pool, log);
  const webhooks = await openWebhooks(env, deployment, pool, { log, metrics });
  const mails = await openMails(env, deployment, pool, { log, metrics });
  log.info(
    { queue: queue.backend, keeper: keeper !== undefined, relayer: relayer !== undefined },
    'the worker is running',
  );
  state = 'running';
  await untilStopped();
  state = 'stopping';
  await Promise.all([keeper?.stop(), relayer?.stop()]);
  await Promise.all([worker.stop(), jobs.stop(), webhooks?.stop(), mails?.stop()]);
  await teardown.run();
  log.info('the worker has stopped');
}

/** Parts that settlement and background jobs share. */
interface Shared {
  readonly pool: Pool;
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
}

async function startSettlement(
  deployment: DeploymentEnv,
  queue: SettleQueue,
  { pool, log, metrics }: Shared,
) {
  return await startWorker({
    ...{ pool, queue, log },
    chain: openChain(deployment),
    keccak256: await openKeccak(),
    batchSize: MAX_BATCH_FACTS,
    concurrency: MAX_CONCURRENT_BATCHES,
    pollMs: POLL_MS,
    indexerChannel: `${VIEWS_SCHEMA}_live_query`,
    onBatch: (batch) => {
      metrics.batch(batch);
      batchSpan(batch);
    },
    onLostLock: metrics.lostJobLock,
    onTick: rpcHealthReporter({ pool, part: 'worker', log, read: () => rpcWatch.health() }),
  });
}

function startBackgroundJobs(
  env: Env,
  { chain }: DeploymentEnv,
  queue: JobQueue,
  { pool, log, metrics, files }: Shared & { readonly files: Disk },
) {
  return startJobs({
    ...{ pool, queue, log },
    files,
    clock: Date.now,
    concurrency: JOBS_CONCURRENCY,
    pollMs: CHORES_POLL_MS,
    onLostLock: metrics.lostJobLock,
    chores: {
      ...chores,
      'ledger.audit': auditChore(contractReader(chain)),
      'buyer-details.reseal': resealDetailsChore(async (use) => {
        const keys = await openKeys(env, pool, log);
        await use(keys).finally(() => keys.stop());
      }),
    },
  });
}

/** Starts the keeper if a key is configured. Of several workers, one at a time is active. */
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

/** Starts the relayer if a key is configured. Of several workers, one at a time is active. */
function openRelayer(env: Env, { chain }: DeploymentEnv, pool: Pool, log: Logger) {
  if (env.relayer === undefined) return undefined;
  const { privateKey, maxGas, maxFeePerGas, merchantBudget, totalBudget } = env.relayer;
  return startRelayer({
    pool,
    chain: relayerChain({ ...chain, account: privateKeyToAccount(privateKey) }),
    ...{ maxGas, maxFeePerGas, log, clock: Date.now, everyMs: RELAYER_MS },
    budget: { merchant: merchantBudget, total: totalBudget },
  });
}

/** Log and metrics that a part of a worker reports to. */
interface Reporting {
  readonly log: Logger;
  readonly metrics: WorkerMetrics;
}

/** Sends webhooks if they are enabled. Any number of workers may. */
async function openWebhooks(
  env: Env,
  { chain }: DeploymentEnv,
  pool: Pool,
  { log, metrics }: Reporting,
) {
  if (!env.designedMethods.includes('webhooks')) return undefined;
  const { chainId, contractAddress } = chain;
  const keys = await openKeys(env, pool, log);
  const sender = new WebhookSender(webhookTargetsOf(env, chainId));
  const running = await runWebhooks({
    pool,
    keys,
    sender,
    log,
    clock: Date.now,
    random: Math.random,
    onAttempt: (outcome) => metrics.attempt('webhooks', outcome),
    deployment: { chainId, contractAddress, publicUrl: publicUrlOf(env) },
  });
  return {
    stop: async () => {
      await running.stop();
      await sender.close();
      keys.stop();
    },
  };
}

/** Sends notifications by e-mail if there is a mail server. Any number of workers may. */
async function openMails(
  env: Env,
  { chain }: DeploymentEnv,
  pool: Pool,
  { log, metrics }: Reporting,
) {
  if (env.mail === undefined) return undefined;
  const { chainId, contractAddress } = chain;
  const publicUrl = publicUrlOf(env);
  const keys = await openKeys(env, pool, log);
  const common = { pool, log, clock: Date.now };
  const deployment = { chainId, contractAddress, publicUrl };
  // Webhooks publish what mails are made of too.
  const publisher = env.designedMethods.includes('webhooks')
    ? undefined
    : await runPublisher({ ...common, deployment });
  // Its packages are not needed without a mail server.
  const { MailSender } = await import('../../jobs/mail/send.ts');
  const sender = new MailSender(env.mail);
  const running = runMail({
    ...common,
    ...{ keys, sender, chainId, publicUrl },
    random: Math.random,
    onAttempt: (outcome) => metrics.attempt('mails', outcome),
  });
  return {
    stop: async () => {
      await Promise.all([publisher?.stop(), running.stop()]);
      keys.stop();
    },
  };
}
