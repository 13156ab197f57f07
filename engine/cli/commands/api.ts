import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { closePool } from '../../db/connection.ts';
import { readDeployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import { readSettings } from '../../db/read/snapshot.ts';
import type { Env } from '../../env.ts';
import { makeRateLimits } from '../../http/rate-limits.ts';
import { deriveKeys } from '../../http/secret-keys.ts';
import { serveApi } from '../../http/serve.ts';
import { openJobQueue } from '../../jobs/queue.ts';
import { openQueue } from '../../settlement/queue.ts';
import { rpcClient } from '../../settlement/rpc-client.ts';
import { openDatabase, queuePrefix, requireDeployment, untilStopped } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { makeLogger } from '../logger.ts';
import { SITE_FOLDER } from '../site/place.ts';
import { openStorage } from '../storage.ts';
import { openStoredKeys } from '../stored-keys.ts';
import { startTracing } from '../telemetry.ts';

/** Connections that the API holds at most: each request takes one while it reads. */
const CONNECTIONS = 20;

/** `tributary api`: serves the HTTP API until it is told to stop. Any number may run. */
export async function runApi(env: Env): Promise<void> {
  const required = requireDeployment(env);
  const { chain, databaseUrl } = required;
  const log = makeLogger({ level: env.logLevel, base: { process: 'api', pid: process.pid } });
  const pool = openDatabase(required, 'api', { max: CONNECTIONS, settings: readSettings });
  await migrate(pool);
  const deployment = await readDeployment(pool);
  if (deployment === undefined) {
    throw new CommandError('The ledger is of no chain yet: run `tributary start` on it first.');
  }
  const queues = { redisUrl: env.redisUrl, databaseUrl, prefix: queuePrefix(required) };
  const [queue, jobs] = await Promise.all([openQueue(queues), openJobQueue(queues)]);
  const redis = env.redisUrl === undefined ? undefined : openRedis(env.redisUrl, log);
  const stored = env.secret === undefined ? await openStoredKeys(pool, log) : undefined;
  const keys = stored ?? deriveKeys([env.secret, env.secretPrevious].flatMap((one) => one ?? []));
  const origins = ownOrigins(env);
  const stopTracing = await startTracing(env, 'api');
  const server = await serveApi({
    port: env.port,
    host: env.host,
    pool,
    deployment: {
      ...deployment,
      startBlock: chain.startBlock,
      explorerUrl: env.explorerUrl ?? null,
    },
    client: rpcClient(chain.rpcUrls),
    queueStats: () => queue.counts(),
    jobs,
    logger: log,
    allowedOrigins: [...new Set([...origins, ...env.allowedOrigins])],
    operators: env.operators,
    publicUrl: origins[0] ?? `http://${env.host}:${env.port}`,
    keys,
    files: openStorage(env),
    clock: Date.now,
    limits: makeRateLimits({
      pool,
      redis,
      prefix: queuePrefix(required),
      keys,
      perMinute: env.rateLimitPerMinute,
    }),
    trustedProxies: env.trustedProxies,
    keptMiB: env.answersKeptMiB,
    siteFolder: SITE_FOLDER,
    stallSeconds: env.stallSeconds,
  });
  log.info({ url: server.url }, 'the API listens');
  await untilStopped();
  await server.stop();
  stored?.stop();
  await stopTracing();
  await Promise.all([queue.close(), jobs.close()]);
  redis?.disconnect();
  await closePool(pool);
  log.info('the API has stopped');
}

/** The counters of the rate limits: where Redis is away, memory stands in at once. */
function openRedis(url: string, log: Logger): Redis {
  const redis = new Redis(url, { enableOfflineQueue: false, maxRetriesPerRequest: 1 });
  redis.on('error', (error) => log.warn({ err: error }, 'Redis does not count requests just now'));
  return redis;
}

/** Where the API's own pages come from. On a loopback address that is both of its names. */
function ownOrigins({ publicUrl, host, port }: Env): string[] {
  if (publicUrl !== undefined) return [publicUrl];
  const loopback = host === '127.0.0.1' || host === 'localhost';
  return loopback ? [`http://127.0.0.1:${port}`, `http://localhost:${port}`] : [];
}
