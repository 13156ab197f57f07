import { closePool, openPool, type Pool, sessionName } from '../../db/connection.ts';
import { readDeployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import { isPooledByTransaction, POOLED_BY_TRANSACTION } from '../../db/transaction-pooling.ts';
import { ConfigError, type Env } from '../../env.ts';
import { claimChain } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import { databaseSentence } from '../startup/database.ts';

export interface MigrateOptions {
  readonly json?: boolean;
}

/** Seconds until the database must have responded. */
const DATABASE_SECONDS = 30;

/**
 * Runs `tributary migrate`: applies the migrations that the database lacks, and records the chain and
 * contract if they are configured, so that APIs and workers can start before the indexer does. A
 * second run changes nothing.
 * @throws {CommandError} with exit code 3 if the database or the RPC does not respond.
 */
export async function runMigrate(env: Env, { json = false }: MigrateOptions): Promise<void> {
  if (env.databaseUrl === undefined) {
    throw new ConfigError(['DATABASE_URL is not set: it names the database to migrate.']);
  }
  const pool = openPool(env.databaseUrl, { applicationName: sessionName('migrate'), max: 2 });
  try {
    await untilConnected(pool, env.databaseUrl);
    const applied = await migrate(pool, json ? {} : { log: (line) => out.print(line) });
    const recorded = await recordDeployment(env, pool);
    if (json) {
      out.json({ applied, deployment: recorded ?? null }, 0);
      return;
    }
    out.print('The database is up to date.');
    if (recorded === undefined) return;
    out.print(`It belongs to contract ${recorded.contractAddress} on chain ${recorded.chainId}.`);
  } finally {
    await closePool(pool);
  }
}

/** Waits until the database responds: it may be starting at the same time. @throws {CommandError} also if a pooler is between. */
async function untilConnected(pool: Pool, databaseUrl: string): Promise<void> {
  let isSaid = false;
  const deadline = performance.now() + DATABASE_SECONDS * 1_000;
  for (;;) {
    try {
      await pool`select 1`;
      break;
    } catch (error) {
      const sentence = databaseSentence(error, databaseUrl);
      if (!isAway(error)) throw new CommandError(sentence, exitCodes.unavailable);
      if (!isSaid) out.error(style.yellow(`${sentence} Waiting up to ${DATABASE_SECONDS} s.`));
      isSaid = true;
      if (performance.now() < deadline) continue;
      throw new CommandError(sentence, exitCodes.unavailable);
    }
  }
  if (await isPooledByTransaction(databaseUrl)) {
    throw new CommandError(`DATABASE_URL ${POOLED_BY_TRANSACTION}.`, exitCodes.unavailable);
  }
}

/** True for errors of the connection, and while the server starts or stops (class 57). */
function isAway(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|ENOENT|CONNECT|57P)/.test(code);
}

/** Records the configured chain if none is recorded; the RPC need not respond after the first time. */
async function recordDeployment(env: Env, pool: Pool) {
  if (env.chain !== undefined && (await readDeployment(pool)) === undefined) {
    await claimChain(pool, env.chain);
  }
  return await readDeployment(pool);
}
