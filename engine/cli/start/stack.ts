import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { closePool, openPool, type Pool } from '../../db/connection.ts';
import { claimDeployment, type Deployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import type { ChainEnv, Env } from '../../env.ts';
import { chainOf } from '../connect.ts';
import { CommandError, exitCodes } from '../exit-codes.ts';
import { metricsPorts } from '../ports.ts';
import { castOf, SAMPLE_SEED, writeSampleProfiles } from '../sample/index.ts';
import { createDatabase } from '../stack/database.ts';
import { type Postgres, startPostgres } from '../stack/postgres.ts';
import { type Child, cliCommand, spawnChild } from '../stack/processes.ts';
import { type Supervised, supervise } from '../stack/supervise.ts';
import type { Teardown } from '../teardown.ts';
import { superviseIndexer } from './indexer.ts';
import { startLocalChain } from './local-chain.ts';
import { type ApiChild, isPortTakenExit, spawnApi } from './own-api.ts';

/** Variables of children whose values must not reach a log. */
const SECRET_VARIABLES = [
  ...(['DATABASE_URL', 'REDIS_URL', 'SECRET', 'S3_SECRET_ACCESS_KEY'] as const),
  ...(['SECRET_PREVIOUS', 'KEEPER_PRIVATE_KEY', 'METRICS_TOKEN'] as const),
];

/** Everything that `start` brought up. */
export interface Stack {
  readonly deployment: Deployment;
  readonly chain: ChainEnv;
  readonly databaseUrl: string;
  readonly pool: Pool;
  /** Where `api` listens. Before anything is asked there, `confirmOwnApi` makes sure of it. */
  readonly apiUrl: string;
  readonly api: Supervised<ApiChild>;
  /** Whether the sample history is on the chain, because it is the embedded one. */
  readonly sample: boolean;
  /** Resolves with a sentence where a part ended for good. */
  readonly broken: Promise<string>;
}

/** Told, in a sentence, that a part ended for good. */
type Report = (sentence: string) => void;

/** Where `start` shows what happens. */
export interface Screen {
  /** Shows what is being done while things are brought up. */
  readonly progress: (text: string) => void;
  /** Shows a line whenever a part ends by itself, and when it runs again. */
  readonly log: (line: string) => void;
}

/**
 * Brings up the whole system in the order in which the data flows. Parts that the environment names
 * are used; the others are embedded.
 * @param teardown receives how to stop each part, so that a failure half-way leaves nothing behind.
 */
export async function bringUp(env: Env, teardown: Teardown, screen: Screen): Promise<Stack> {
  const { progress, log } = screen;
  let report: Report = () => {};
  const broken = new Promise<string>((resolve) => {
    report = resolve;
  });
  const parts = { env, teardown, log, report };
  const chain = await bringUpChain(parts, progress);
  const genesis = await genesisOf(chain);
  const deployment: Deployment = { ...chain, genesisHash: genesis };
  const databaseUrl = await bringUpDatabase(parts, deployment, progress);
  const pool = openPool(databaseUrl, { applicationName: 'tributary start', max: 5 });
  teardown.add('the database pool', () => closePool(pool));

  progress('Preparing the ledger');
  await migrate(pool);
  await claimDeployment(pool, deployment);
  const sample = env.chain === undefined;
  if (sample) await writeSampleProfiles(pool);

  progress('Starting the indexer');
  await bringUpIndexer(parts, { deployment, chain, databaseUrl, pool });
  progress('Starting workers and API');
  const childEnv = environmentOf(env, chain, databaseUrl);
  for (let i = 1; i <= env.workers; i += 1) {
    const own = { ...childEnv, ...metricsVariable(env, i), ...keeperVariables(env) };
    await bringUpWorker(parts, `worker-${i}`, own);
  }
  const api = await bringUpApi(parts, childEnv);
  const apiUrl = `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${env.port}`;
  return { deployment, chain, databaseUrl, pool, apiUrl, api, sample, broken };
}

/** What every part is brought up with. */
interface Parts {
  readonly env: Env;
  readonly teardown: Teardown;
  readonly log: (line: string) => void;
  readonly report: Report;
}

async function bringUpChain(
  { env, teardown, log, report }: Parts,
  progress: Screen['progress'],
): Promise<ChainEnv> {
  if (env.chain !== undefined) return env.chain;
  progress('Starting a local chain');
  const { dataDir } = env;
  const { chain, anvil } = await startLocalChain({ dataDir, onProgress: progress, log });
  teardown.add('anvil', () => anvil.stop());
  void anvil.gaveUp.then(({ reason }) => report(reason ?? 'The local chain ended for good.'));
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
  { env, teardown, log }: Parts,
  deployment: Deployment,
  progress: Screen['progress'],
): Promise<string> {
  if (env.databaseUrl !== undefined) return env.databaseUrl;
  progress('Starting PostgreSQL');
  // Everything else has its address: it comes back on the port of its first start.
  let address: Pick<Postgres, 'url' | 'port'> | undefined;
  const postgres = await supervise({
    name: 'PostgreSQL',
    log,
    start: async () => {
      const { dataDir } = env;
      const server = await startPostgres({ dataDir, ...(address && { port: address.port }) });
      address ??= server;
      return server;
    },
  });
  teardown.add('PostgreSQL', () => postgres.stop());
  if (address === undefined) throw new Error('PostgreSQL was supervised before it was started');
  // A database of its own for each chain and contract: the ledger refuses to mix them.
  const key = createHash('sha256')
    .update(`${deployment.chainId} ${deployment.genesisHash} ${deployment.contractAddress}`)
    .digest('hex');
  return await createDatabase(address.url, `tributary_${key.slice(0, 12)}`);
}

async function bringUpIndexer(
  { env, teardown, log, report }: Parts,
  parts: { deployment: Deployment; chain: ChainEnv; databaseUrl: string; pool: Pool },
): Promise<void> {
  const logFile = join(env.dataDir, 'logs', 'indexer.log');
  const { pollingIntervalMs } = env;
  const indexer = await superviseIndexer({ ...parts, pollingIntervalMs, logFile, log });
  teardown.add('the indexer', () => indexer.stop());
  void indexer.gaveUp.then(() => report(`The indexer ended for good: see ${logFile}.`));
}

/** Runs `tributary worker` as a supervised child. */
async function bringUpWorker(
  { env, teardown, log, report }: Parts,
  name: string,
  childEnv: Readonly<Record<string, string>>,
): Promise<void> {
  const logFile = join(env.dataDir, 'logs', `${name}.log`);
  const secrets = secretsOf(childEnv);
  const worker = await supervise<Child>({
    name,
    log,
    isPermanent: isPortTakenExit,
    start: () => spawnChild({ name, ...cliCommand(['worker']), env: childEnv, logFile, secrets }),
  });
  teardown.add(name, () => worker.stop());
  void worker.gaveUp.then(() => report(`The ${name} ended for good: see ${logFile}.`));
}

/** Runs `tributary api` as a supervised child. */
async function bringUpApi(
  { env, teardown, log, report }: Parts,
  workerEnv: Readonly<Record<string, string>>,
): Promise<Supervised<ApiChild>> {
  const logFile = join(env.dataDir, 'logs', 'api.log');
  const childEnv = { ...workerEnv, ...metricsVariable(env, env.workers + 1) };
  const secrets = secretsOf(childEnv);
  const api = await supervise({
    name: 'The API',
    log,
    isPermanent: isPortTakenExit,
    start: () => spawnApi({ env: childEnv, logFile, secrets }),
  });
  teardown.add('api', () => api.stop());
  void api.gaveUp.then(() =>
    report(
      `The API ended for good, because another program took one of its ports: see ${logFile}.`,
    ),
  );
  return api;
}

function secretsOf(childEnv: Readonly<Record<string, string>>): string[] {
  return SECRET_VARIABLES.flatMap((name) => childEnv[name] ?? []);
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
    ...(env.metricsToken === undefined ? {} : { METRICS_TOKEN: env.metricsToken }),
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

/** Each worker's metrics have a port of their own, and so have the API's, after them. */
function metricsVariable(env: Env, process: number): Record<string, string> {
  const port = metricsPorts(env)[process - 1];
  return port === undefined ? {} : { METRICS_PORT: String(port) };
}
