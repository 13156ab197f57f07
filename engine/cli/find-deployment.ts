import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainEnv, Env } from '../env.ts';
import type { DeploymentEnv } from './connect.ts';
import { CommandError } from './exit-codes.ts';
import { type Running, readRunning } from './running.ts';
import { confirmDatabase } from './startup/confirm-surroundings.ts';

/**
 * Database and chain for a command that reads or repairs the ledger: as configured, or else those of
 * the deployment that runs here.
 * @throws {CommandError} naming the variables that are missing.
 */
export async function findDeployment(env: Env): Promise<DeploymentEnv> {
  const running = await readRunning(env);
  const databaseUrl = env.databaseUrl ?? (await embeddedDatabase(env, running));
  if (env.databaseUrl !== undefined) await confirmDatabase(env.databaseUrl);
  const chain = env.chain ?? embeddedChain(running);
  if (databaseUrl !== undefined && chain !== undefined) return { databaseUrl, chain };
  const missing = [
    ...(databaseUrl === undefined ? ['DATABASE_URL'] : []),
    ...(chain === undefined ? ['CHAIN_ID', 'RPC_URL', 'CONTRACT_ADDRESS', 'START_BLOCK'] : []),
  ];
  throw new CommandError(
    `Set ${missing.join(', ')}, or run this command where \`tributary start\` is running.`,
  );
}

/** URL of the embedded database, with the password from its file. */
async function embeddedDatabase(
  { dataDir }: Pick<Env, 'dataDir'>,
  running: Running | undefined,
): Promise<string | undefined> {
  if (running?.databaseUrl === undefined) return undefined;
  const url = new URL(running.databaseUrl);
  const path = join(dataDir, 'postgres.password');
  const password = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `DATA_DIR: the password of the embedded PostgreSQL cannot be read from ${path} (${error.code}): use the account of \`tributary start\`.`,
    );
  });
  url.password = password.trim();
  return url.href;
}

function embeddedChain(running: Running | undefined): ChainEnv | undefined {
  if (running?.rpcUrl === undefined || running.startBlock === undefined) return undefined;
  const { chainId, contractAddress, startBlock, rpcUrl } = running;
  return { chainId, contractAddress, startBlock, rpcUrls: [rpcUrl] };
}
