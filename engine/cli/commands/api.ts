import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { cancellableClient, rpcClient } from '../../chain/client.ts';
import { identityOf } from '../../chain/identity.ts';
import type { OptionalResource } from '../../contract/registry.ts';
import { watchAvailability } from '../../db/availability.ts';
import { closePool, type Pool, type PoolOptions } from '../../db/connection.ts';
import { type Deployment, readDeployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import { readSettings } from '../../db/read/snapshot.ts';
import type { ChainEnv, Env } from '../../env.ts';
import { instance } from '../../http/app.ts';
import type { Demo } from '../../http/demo/demo.ts';
import { makeRateLimits } from '../../http/limits/rate-limits.ts';
import { Replicas } from '../../http/replicas/replicas.ts';
import { serveApi } from '../../http/serve.ts';
import { openQueues } from '../../queue/queues.ts';
import { BundleThread } from '../bundle-thread.ts';
import { confirmChain, openDatabase, queuePrefix, requireDeployment } from '../connect.ts';
import { openDemo } from '../demo/open-demo.ts';
import { CommandError } from '../exit-codes.ts';
import { logHangingCalls } from '../log-hanging-calls.ts';
import { makeLogger } from '../logger.ts';
import { onOwnChain, reportToParent } from '../parent.ts';
import { ownOrigins, publicUrlOf } from '../public-url.ts';
import { runServer } from '../run-server.ts';
import { SITE_FOLDER } from '../site/place.ts';
import { confirmSurroundings } from '../startup/confirm-surroundings.ts';
import { openStorage } from '../storage.ts';
import { openKeys } from '../stored-keys.ts';
import { Teardown } from '../teardown.ts';
import { startTracing } from '../telemetry.ts';
import { webhookTargetsOf } from '../webhook-targets.ts';

/**
 * Maximum number of database connections: each request uses one while it reads. Few, because a statement
 * costs PostgreSQL half as much again if 20 sessions take turns on two cores (bench/performance.md).
 */
const CONNECTIONS = 5;

/** Maximum number of database connections for reads that may take long. */
const LONG_READ_CONNECTIONS = 2;

/** Number of database connections that the ranking of distributors takes, if no worker computes it. */
const RANKING_CONNECTIONS = 2;

/** Timeout in milliseconds of one RPC call to a contract that a stranger chose. */
const STRANGER_MS = 5_000;

/** Runs `tributary api`: serves the HTTP API until a signal stops it. Any number may run. */
export async function runApi(env: Env): Promise<void> {
  await Teardown.after((teardown) => run(env, teardown));
}

async function run(env: Env, teardown: Teardown): Promise<void> {
  const required = requireDeployment(env);
  const { databaseUrl } = required;
  const log = makeLogger({ level: env.logLevel, base: { process: 'api', pid: process.pid } });
  await confirmSurroundings('api', env, (sentence) => log.warn(sentence));
  const open = (size: Pick<PoolOptions, 'max' | 'keep'>) =>
    openDatabase(required, 'api', { ...size, settings: readSettings });
  const pool = open({ max: CONNECTIONS });
  const longReadPool = open({ max: LONG_READ_CONNECTIONS, keep: 0 });
  const rankingPool = open({ max: RANKING_CONNECTIONS, keep: 0 });
  const pools = [pool, longReadPool, rankingPool];
  teardown.add('the database pools', () => Promise.all(pools.map((one) => closePool(one))));
  await migrate(pool, { log: (line) => log.info(line) });
  const database = watchAvailability(databaseUrl, ...pools);
  teardown.add('the probe of the database', () => database.close());
  const deployment = await requireLedger(pool);
  const chain = await confirmChain(pool, required.chain);
  teardown.add('the watch over calls', logHangingCalls(log));
  const replicas = await openReplicas(env, pool, log);
  if (replicas !== undefined) teardown.add('the replicas', () => replicas.close());
  const prefix = queuePrefix(required);
  const queues = await openQueues({ redisUrl: env.redisUrl, databaseUrl, prefix });
  teardown.add('the queues', () => queues.close());
  const { queue, jobs } = queues;
  const redis = env.redisUrl === undefined ? undefined : openRedis(env.redisUrl, log);
  const keys = await openKeys(env, pool, log);
  teardown.add('the keys', async () => keys.stop());
  const settings = settingsOf(env, chain.chainId);
  teardown.add('tracing', await startTracing(env, 'api'));
  const identity = identityOf(chain.rpcUrls, chain);
  const bundles = new BundleThread(chain);
  teardown.add('the thread of bundles', () => bundles.close());
  const { startBlock } = chain;
  const perMinute = env.rateLimitPerMinute;
  const server = serveApi({
    ...settings,
    demo: demoOf(chain, log),
    ...{ pool, longReadPool, rankingPool, replicas, database, jobs, keys, bundles },
    deployment: { ...deployment, startBlock, explorerUrl: env.explorerUrl ?? null },
    client: rpcClient(chain.rpcUrls, { identity }),
    strangersClient: cancellableClient(chain.rpcUrls, STRANGER_MS, identity),
    queueStats: () => queue.counts(),
    logger: log,
    files: await openStorage(env),
    clock: Date.now,
    limits: makeRateLimits({ pool, redis, prefix, keys, perMinute }),
  });
  await runServer(env, server, {
    ...{ name: 'the API', log, teardown },
    onListening: () => reportToParent({ type: 'api-listening', instance }),
  });
}

/** Opens the demo if `start` says that the chain is its own, and the chain agrees. */
function demoOf(chain: ChainEnv, log: Logger): () => Demo | undefined {
  let demo: Demo | undefined;
  onOwnChain(({ rpcUrl }) => {
    openDemo(chain, rpcUrl).then(
      (opened) => {
        demo = opened;
      },
      (error: unknown) => log.warn({ err: error }, 'No role can be tried'),
    );
  });
  return () => demo;
}

/** The deployment that the ledger is of. @throws {CommandError} if the database has no ledger. */
async function requireLedger(pool: Pool): Promise<Deployment> {
  const deployment = await readDeployment(pool);
  if (deployment !== undefined) return deployment;
  throw new CommandError(
    'This database has no ledger yet: first run `tributary migrate` with the variables of the chain.',
  );
}

/** Dependencies of the API that follow from the variables alone. */
function settingsOf(env: Env, chainId: number) {
  return {
    port: env.port,
    host: env.host,
    allowedOrigins: [...new Set([...ownOrigins(env), ...env.allowedOrigins])],
    operators: env.operators,
    enabled: enabledResources(env),
    webhookTargets: webhookTargetsOf(env, chainId),
    publicUrl: publicUrlOf(env),
    trustedProxies: env.trustedProxies,
    cacheMiB: env.responseCacheMiB,
    siteFolder: SITE_FOLDER,
    walletConnectProjectId: env.walletConnectProjectId,
    publicRpcUrl: env.publicRpcUrl,
    stallSeconds: env.stallSeconds,
    metricsElsewhere: env.metricsPort !== undefined,
    metricsToken: env.metricsToken,
  };
}

/** Optional resources of this deployment. Preferences for e-mail mean nothing where none is sent. */
function enabledResources({ designedMethods, mail }: Env): Set<OptionalResource> {
  return new Set([...designedMethods, ...(mail === undefined ? [] : (['notifications'] as const))]);
}

/** Connects to the standbys of `DATABASE_REPLICA_URLS`; `undefined` if it names none. */
async function openReplicas(
  { databaseReplicaUrls: urls }: Env,
  primary: Pool,
  logger: Logger,
): Promise<Replicas | undefined> {
  if (urls.length === 0) return undefined;
  const connections = { reads: CONNECTIONS, longReads: LONG_READ_CONNECTIONS };
  return await Replicas.open({ primary, urls, connections, logger });
}

/** Opens Redis for the rate limits. While Redis is away, counters in memory replace it. */
function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  redis.on('error', (error) =>
    log.warn({ err: error }, 'Redis does not respond: rate limits are counted in memory'),
  );
  return redis;
}
