import pino from 'pino';
import { createPublicClient, fallback, http } from 'viem';
import { readDeployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { serveApi } from '../../http/serve.ts';
import { openQueue } from '../../settlement/queue.ts';
import { openDatabase, queuePrefix, requireDeployment, untilStopped } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';

/** Connections that the API holds at most: each request takes one while it reads. */
const CONNECTIONS = 20;

/** `tributary api`: serves the HTTP API until it is told to stop. Any number may run. */
export async function runApi(env: Env): Promise<void> {
  const required = requireDeployment(env);
  const { chain, databaseUrl } = required;
  const log = pino({ level: env.logLevel, base: { process: 'api', pid: process.pid } });
  const pool = openDatabase(required, 'api', CONNECTIONS);
  await migrate(pool);
  const deployment = await readDeployment(pool);
  if (deployment === undefined) {
    throw new CommandError('The ledger is of no chain yet: run `tributary start` on it first.');
  }
  const queue = await openQueue({
    redisUrl: env.redisUrl,
    databaseUrl,
    prefix: queuePrefix(required),
  });
  const server = await serveApi({
    port: env.port,
    host: env.host,
    pool,
    deployment: {
      ...deployment,
      startBlock: chain.startBlock,
      explorerUrl: env.explorerUrl ?? null,
    },
    client: createPublicClient({
      transport: fallback([...new Set(chain.rpcUrls)].map((url) => http(url, { batch: true }))),
      cacheTime: 0,
    }),
    queueStats: () => queue.counts(),
    logger: log,
    allowedOrigins: env.allowedOrigins,
  });
  log.info({ url: server.url }, 'the API listens');
  await untilStopped();
  await server.stop();
  await queue.close();
  await pool.end();
  log.info('the API has stopped');
}
