import { ConfigError, type Env } from '../../env.ts';
import { DeploymentsError, Directory } from '../../gateway/directory.ts';
import { serveGateway } from '../../gateway/serve.ts';
import { untilStopped } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { makeLogger } from '../logger.ts';
import { serveMetrics } from '../metrics-server.ts';
import { isPortTaken, portTaken } from '../ports.ts';
import { ownOrigins } from '../public-url.ts';
import { Teardown } from '../teardown.ts';

/** Largest number of deployments: a cursor across them has one of each. */
const MAX_DEPLOYMENTS = 32;

/** Runs `tributary gateway`: serves several deployments until a signal stops it. Any number may run. */
export async function runGateway(env: Env): Promise<void> {
  await Teardown.after((teardown) => run(env, teardown));
}

async function run(env: Env, teardown: Teardown): Promise<void> {
  const { deployments } = env;
  if (deployments.length === 0) {
    throw new ConfigError(['DEPLOYMENTS is not set: this command needs the APIs that it serves.']);
  }
  if (deployments.length > MAX_DEPLOYMENTS) {
    throw new ConfigError([`DEPLOYMENTS may name at most ${MAX_DEPLOYMENTS} deployments.`]);
  }
  const logger = makeLogger({
    level: env.logLevel,
    base: { process: 'gateway', pid: process.pid },
  });
  const directory = await Directory.open(deployments, { logger }).catch((error: unknown) => {
    throw error instanceof DeploymentsError ? new CommandError(error.message) : error;
  });
  teardown.add('the directory', () => directory.close());
  const server = await serveGateway({
    port: env.port,
    host: env.host,
    directory,
    logger,
    allowedOrigins: [...new Set([...ownOrigins(env), ...env.allowedOrigins])],
    trustedProxies: env.trustedProxies,
    perMinute: env.rateLimitPerMinute,
    metricsElsewhere: env.metricsPort !== undefined,
    metricsToken: env.metricsToken,
  }).catch((error: unknown) => {
    throw isPortTaken(error) ? portTaken('PORT', env.port) : error;
  });
  teardown.add('the server', () => server.stop());
  if (env.metricsPort !== undefined) {
    const metrics = await serveMetrics(env, env.metricsPort, server.readMetrics);
    teardown.add('the metrics', () => metrics.close());
  }
  logger.info({ url: server.url }, 'the gateway is listening');
  const signal = await untilStopped();
  // After Ctrl-C a person waits; SIGTERM comes from a supervisor that replaces this process.
  await server.stop(signal === 'SIGTERM' ? { drainMs: env.drainSeconds * 1_000 } : {});
  await teardown.run();
  logger.info('the gateway has stopped');
}
