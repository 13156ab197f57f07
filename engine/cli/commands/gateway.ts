import { ConfigError, type Env } from '../../env.ts';
import { DeploymentsError, Directory } from '../../gateway/directory.ts';
import { serveGateway } from '../../gateway/serve.ts';
import { CommandError } from '../exit-codes.ts';
import { makeLogger } from '../logger.ts';
import { ownOrigins } from '../public-url.ts';
import { runServer } from '../run-server.ts';
import { confirmSurroundings } from '../startup/confirm-surroundings.ts';
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
  await confirmSurroundings('gateway', env, (sentence) => logger.warn(sentence));
  const directory = await Directory.open(deployments, { logger }).catch((error: unknown) => {
    throw error instanceof DeploymentsError ? new CommandError(error.message) : error;
  });
  teardown.add('the directory', () => directory.close());
  const server = serveGateway({
    port: env.port,
    host: env.host,
    directory,
    logger,
    allowedOrigins: [...new Set([...ownOrigins(env), ...env.allowedOrigins])],
    trustedProxies: env.trustedProxies,
    perMinute: env.rateLimitPerMinute,
    metricsElsewhere: env.metricsPort !== undefined,
    metricsToken: env.metricsToken,
  });
  await runServer(env, server, { name: 'the gateway', log: logger, teardown });
}
