import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { closePool, openPool, type Pool } from '../../db/connection.ts';
import { claimDeployment, type Deployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import type { ChainEnv, Env } from '../../env.ts';
import { chainOf } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { castOf, SAMPLE_SEED, writeSampleProfiles } from '../sample/index.ts';
import { createDatabase } from '../stack/database.ts';
import { startPostgres } from '../stack/postgres.ts';
import { cliCommand, spawnChild } from '../stack/processes.ts';
import { type Supervised, supervise } from '../stack/supervise.ts';
import { superviseIndexer } from './indexer.ts';
import { startLocalChain } from './local-chain.ts';

/** Variables of children whose values must not reach a log. */
const SECRET_VARIABLES = [
  ...(['DATABASE_URL', 'REDIS_URL', 'SECRET', 'S3_SECRET_ACCESS_KEY'] as const),
  ...(['SECRET_PREVIOUS', 'KEEPER_PRIVATE_KEY'] as const),
];

/** Everything that `start` brought up. */
export interface Stack {
  readonly deployment: Deployment;
  readonly chain: ChainEnv;
  readonly databaseUrl: string;
  readonly pool: Pool;
  readonly apiUrl: string;
  /** Whether the sample history is on the chain, because it is the embedded one. */
  readonly sample: boolean;
  /** Resolves with a sentence where a part ended for good. */
  readonly broken: Promise<string>;
}

/** Undoes what was brought up, in reverse order, whatever fails on the way. */
export class Teardown {
  readonly #steps: { name: string; stop: () => Promise<unknown> }[] = [];

  add(name: string, stop: () => Promise<unknown>): void {
    this.#steps.push({ name, stop });
  }

  async run(): Promise<void> {
    for (const { name, stop } of this.#steps.splice(0).reverse()) {
      await stop().catch((error: unknown) => console.error(`${name} did not stop: ${error}`));
    }
  }
}

/** Told, in a sentence, that a part ended for good. */
type Report = (sentence: string) => void;

/** Says what is being done; `start` shows it. */
export type Progress = (text: string) => void;

/**
 * Brings up the whole system in the order in which the data flows. Parts that the environment names
 * are used; the others are embedded.
 * @param teardown receives how to stop each part, so that a failure half-way leaves nothing behind.
 */
export async function bringUp(env: Env, teardown: Teardown, progress: Progress): Promise<Stack> {
  const chain = await bringUpChain(env, teardown, progress);
  const genesis = await genesisOf(chain);
  const deployment: Deployment = { ...chain, genesisHash: genesis };
  const databaseUrl = await bringUpDatabase(env, deployment, teardown, progress);
  const pool = openPool(databaseUrl, { applicationName: 'tributary start', max: 5 });
  teardown.add('the database pool', () => closePool(pool));

  progress('Preparing the ledger');
  await migrate(pool);
  await claimDeployment(pool, deployment);
  const sample = env.chain === undefined;
  if (sample) await writeSampleProfiles(pool);

  let report: Report = () => {};
  const broken = new Promise<string>((resolve) => {
    report = resolve;
  });
  progress('Starting the indexer');
  await bringUpIndexer(env, { deployment, chain, databaseUrl, pool }, teardown, report);
  progress('Starting workers and API');
  const childEnv = environmentOf(env, chain, databaseUrl);
  for (let i = 1; i <= env.workers; i += 1) {
    const own = { ...childEnv, ...metricsVariable(env, i), ...keeperVariables(env) };
    await bringUpOwn(env, 'worker', `worker-${i}`, own, teardown, report);
  }
  await bringUpOwn(env, 'api', 'api', childEnv, teardown, report);
  const apiUrl = `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${env.port}`;
  return { deployment, chain, databaseUrl, pool, apiUrl, sample, broken };
}

async function bringUpChain(env: Env, teardown: Teardown, progress: Progress): Promise<ChainEnv> {
  if (env.chain !== undefined) return env.chain;
  progress('Starting a local chain');
  const { chain, anvil } = await startLocalChain({ dataDir: env.dataDir, onProgress: progress });
  teardown.add('anvil', () => anvil.stop());
  return chain;
}

async function genesisOf(chain: ChainEnv): Promise<`0x${string}`> {
  const answer = await chainOf(chain)
    .blockAt(0)
    .catch((error: unknown) => error);
  if (answer !== null && typeof answer === 'object' && 'hash' in answer) {
    return answer.hash as `0x${string}`;
  }
  throw new CommandError(
    'RPC_URL does not answer with the chain’s first block: is the address right?',
    exitCodes.unavailable,
  );
}

async function bringUpDatabase(
  env: Env,
  deployment: Deployment,
  teardown: Teardown,
  progress: Progress,
): Promise<string> {
  if (env.databaseUrl !== undefined) return env.databaseUrl;
  progress('Starting PostgreSQL');
  const postgres = await startPostgres({ dataDir: env.dataDir });
  teardown.add('PostgreSQL', () => postgres.stop());
  // A database of its own for each chain and contract: the ledger refuses to mix them.
  const key = createHash('sha256')
    .update(`${deployment.chainId} ${deployment.genesisHash} ${deployment.contractAddress}`)
    .digest('hex');
  return await createDatabase(postgres.url, `tributary_${key.slice(0, 12)}`);
}

async function bringUpIndexer(
  env: Env,
  parts: { deployment: Deployment; chain: ChainEnv; databaseUrl: string; pool: Pool },
  teardown: Teardown,
  report: Report,
): Promise<void> {
  const logFile = join(env.dataDir, 'logs', 'indexer.log');
  const { pollingIntervalMs } = env;
  const indexer = await superviseIndexer({ ...parts, pollingIntervalMs, logFile });
  teardown.add('the indexer', () => indexer.stop());
  void indexer.gaveUp.then(() => report(`The indexer ended for good: see ${logFile}.`));
}

/** Runs one of our own commands as a supervised child. */
async function bringUpOwn(
  env: Env,
  command: 'worker' | 'api',
  name: string,
  childEnv: Readonly<Record<string, string>>,
  teardown: Teardown,
  report: Report,
): Promise<void> {
  const logFile = join(env.dataDir, 'logs', `${name}.log`);
  const child: Supervised<ReturnType<typeof spawnChild>> = await supervise({
    name,
    start: () =>
      spawnChild({
        name,
        ...cliCommand([command]),
        env: childEnv,
        logFile,
        secrets: SECRET_VARIABLES.flatMap((name) => childEnv[name] ?? []),
      }),
  });
  teardown.add(name, () => child.stop());
  void child.gaveUp.then(() => report(`The ${name} ended for good: see ${logFile}.`));
}

/** The environment of a child: the same variables that an operator would set for it. */
function environmentOf(env: Env, chain: ChainEnv, databaseUrl: string): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    ...(env.redisUrl === undefined ? {} : { REDIS_URL: env.redisUrl }),
    CHAIN_ID: String(chain.chainId),
    RPC_URL: chain.rpcUrls.join(','),
    CONTRACT_ADDRESS: chain.contractAddress,
    START_BLOCK: String(chain.startBlock),
    RPC_QUORUM: String(chain.rpcQuorum ?? 1),
    CHECK_BLOOMS: chain.checkBlooms ?? 'near',
    STALL_SECONDS: String(env.stallSeconds),
    HOST: env.host,
    PORT: String(env.port),
    ...(env.explorerUrl === undefined ? {} : { EXPLORER_URL: env.explorerUrl }),
    ...(env.publicUrl === undefined ? {} : { PUBLIC_URL: env.publicUrl }),
    ALLOWED_ORIGINS: env.allowedOrigins.join(','),
    OPERATORS: operatorsOf(env).join(','),
    ...(env.secret === undefined ? {} : { SECRET: env.secret }),
    ...(env.secretPrevious === undefined ? {} : { SECRET_PREVIOUS: env.secretPrevious }),
    ...storageVariables(env),
    TRUSTED_PROXIES: String(env.trustedProxies),
    RATE_LIMIT_PER_MINUTE: String(env.rateLimitPerMinute),
    ANSWERS_KEPT_MIB: String(env.answersKeptMiB),
    LOG_LEVEL: env.logLevel,
    DATA_DIR: env.dataDir,
  };
}

/** Where the sample runs and nobody is named, somebody of the sample moderates. */
function operatorsOf({ chain, operators }: Env): readonly string[] {
  const sample = chain === undefined && operators.length === 0;
  return sample ? [castOf(SAMPLE_SEED).operator.address] : operators;
}

function storageVariables({ storage }: Env): Record<string, string> {
  if (storage === undefined) return {};
  return {
    S3_BUCKET: storage.bucket,
    S3_REGION: storage.region,
    ...(storage.endpoint === undefined ? {} : { S3_ENDPOINT: storage.endpoint }),
    S3_ACCESS_KEY_ID: storage.accessKeyId,
    S3_SECRET_ACCESS_KEY: storage.secretAccessKey,
  };
}

/** The key goes to the workers alone. */
function keeperVariables({ keeper }: Env): Record<string, string> {
  if (keeper === undefined) return {};
  return {
    KEEPER_PRIVATE_KEY: keeper.privateKey,
    KEEPER_MAX_GAS: String(keeper.maxGas),
    KEEPER_MAX_FEE_GWEI: String(keeper.maxFeePerGas / 1_000_000_000n),
  };
}

/** Each worker's metrics have a port of their own. */
function metricsVariable({ metricsPort }: Env, worker: number): Record<string, string> {
  return metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort + worker - 1) };
}
