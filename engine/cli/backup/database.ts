import { mkdir } from 'node:fs/promises';
import type { Chain } from '../../chain/chain.ts';
import { failureOf } from '../../chain/errors.ts';
import type { Pool } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import type { Env } from '../../env.ts';
import { chainOf, type DeploymentEnv, deploymentOf, openDatabase } from '../connect.ts';
import { embeddedDatabase } from '../embedded-database.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { readRunning } from '../running.ts';
import { startPostgres } from '../stack/postgres.ts';

/** Runs a command on the database of a deployment, and closes its connections. */
export async function withDatabase<T>(
  env: Env,
  name: string,
  work: (pool: Pool, deployment: DeploymentEnv) => Promise<T>,
): Promise<T> {
  const deployment = await findDeployment(env);
  const pool = openDatabase(deployment, name, { max: 4 });
  try {
    return await work(pool, deployment);
  } finally {
    await pool.end({ timeout: 5 });
  }
}

/**
 * Runs a restore on the configured database. Without one it is the embedded database of `start`, which must not be
 * running: its server is started as long as the work takes.
 */
export async function withRestoreTarget<T>(
  env: Env,
  work: (pool: Pool, deployment: DeploymentEnv) => Promise<T>,
): Promise<T> {
  const { chain, dataDir } = env;
  const isEmbedded = env.databaseUrl === undefined && (await readRunning(env)) === undefined;
  if (!isEmbedded || chain === undefined) return await withDatabase(env, 'restore', work);
  await mkdir(dataDir, { recursive: true });
  const server = await startPostgres({ dataDir });
  try {
    const databaseUrl = await embeddedDatabase(server.url, chain);
    return await withDatabase({ ...env, databaseUrl }, 'restore', work);
  } finally {
    await server.stop();
  }
}

/** The chain of a deployment as its RPC has it. */
export interface AskedChain {
  readonly chain: Chain;
  readonly deployment: Deployment;
  /** Highest block. */
  readonly head: number;
}

/** Asks the RPC for the chain. @throws {CommandError} if it does not respond. */
export async function askChain({
  chain: settings,
}: Pick<DeploymentEnv, 'chain'>): Promise<AskedChain> {
  const chain = chainOf(settings);
  // One after the other, so that an RPC that is away gets the same error each time.
  const deployment = await deploymentOf(settings);
  const head = await chain.head().catch((error: unknown) => {
    throw new CommandError(`The RPC ${failureOf(error)}.`, exitCodes.unavailable);
  });
  return { chain, deployment, head: head.number };
}
