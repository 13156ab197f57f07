import { join } from 'node:path';
import { actorsOf } from '../../../sample/actors.ts';
import { writeSampleProfiles } from '../../../sample/profiles.ts';
import { SAMPLE_SEED } from '../../../sample/run-sample.ts';
import { closePool, openPool, type Pool, sessionName } from '../../db/connection.ts';
import type { Deployment } from '../../db/deployment.ts';
import { migrate } from '../../db/migrate.ts';
import { type ChainEnv, type Env, inheritedEnv, secretsOf } from '../../env.ts';
import { claimChain } from '../connect.ts';
import { embeddedDatabase } from '../embedded-database.ts';
import { metricsPorts } from '../ports.ts';
import { type Running, writeRunning } from '../running.ts';
import { type Postgres, startPostgres } from '../stack/postgres.ts';
import { type Child, cliCommand, spawnChild } from '../stack/processes.ts';
import { type Supervised, supervise } from '../stack/supervise.ts';
import type { Teardown } from '../teardown.ts';
import { indexerRefused, superviseIndexer } from './indexer.ts';
import { restoreHeight, startLocalChain } from './local-chain.ts';
import { type ApiChild, isPortTakenExit, spawnApi } from './own-api.ts';

/** The system that `start` runs. */
export interface Stack {
  readonly deployment: Deployment;
  readonly chain: ChainEnv;
  readonly databaseUrl: string;
  readonly pool: Pool;
  /** Base address of `api`. Call `confirmOwnApi` before the first request. */
  readonly apiUrl: string;
  readonly api: Supervised<ApiChild>;
  /** True if the chain is the embedded one with the sample history. */
  readonly sample: boolean;
  /** Resolves with a sentence if a part ends for good. */
  readonly broken: Promise<string>;
}

/** Receives a sentence when a part ends for good. */
type Report = (sentence: string) => void;

/** Output of `start`. */
export interface Screen {
  /** Shows the current step of the start. */
  readonly progress: (text: string) => void;
  /** Shows a line when a part ends unexpectedly, and when it is running again. */
  readonly log: (line: string) => void;
}

/**
 * Starts the whole system in the order in which data flows. Configured parts are used; the others are
 * embedded.
 * @param teardown receives a way to stop each part, so that a failed start leaves nothing running.
 */
export async function startStack(env: Env, teardown: Teardown, screen: Screen): Promise<Stack> {
  const { progress, log } = screen;
  let report: Report = () => {};
  const broken = new Promise<string>((resolve) => {
    report = resolve;
  });
  const parts = { env, teardown, log, report };
  // What can go wrong with a server is known before a history is sent.
  const serverUrl = await startServer(parts, progress);
  const configured = await startChain(parts, progress);
  const databaseUrl = env.databaseUrl ?? (await embeddedDatabase(serverUrl ?? '', configured));
  const pool = openPool(databaseUrl, {
    applicationName: sessionName('start'),
    max: 5,
    // After the start, a short statement every few seconds.
    ...{ keep: 0, sharesListener: true },
  });
  teardown.add('the database pool', () => closePool(pool));

  progress('Preparing the ledger');
  await migrate(pool, { log: progress });
  const deployment = await claimChain(pool, configured);
  const chain = { ...configured, genesisHash: deployment.genesisHash };
  const sample = env.chain === undefined;
  if (sample) {
    await writeSampleProfiles(pool);
    await restoreHeight(pool, chain, log);
  }

  progress('Starting the indexer');
  await startIndexing(parts, { deployment, chain, databaseUrl, pool });
  progress('Starting workers and API');
  const settings = { env, chain, databaseUrl };
  const apiUrl = `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${env.port}`;
  // Before the API: once it says that it is ready, other commands find this deployment.
  await writeRunning(env, runningOf(env, { chain, apiUrl, databaseUrl }));
  for (let i = 0; i < env.workers; i += 1) {
    await startWorkerChild(parts, `worker-${i + 1}`, childEnvOf('worker', settings, i));
  }
  const ownRpcUrl = sample ? chain.rpcUrls[0] : undefined;
  const api = await startApiChild(parts, childEnvOf('api', settings, env.workers), ownRpcUrl);
  return { deployment, chain, databaseUrl, pool, apiUrl, api, sample, broken };
}

/** Record of this deployment for other commands. */
function runningOf(
  env: Env,
  { chain, apiUrl, databaseUrl }: Pick<Stack, 'chain' | 'apiUrl' | 'databaseUrl'>,
): Running {
  return {
    pid: process.pid,
    apiUrl,
    rpcUrl: env.chain === undefined ? chain.rpcUrls[0] : undefined,
    databaseUrl: env.databaseUrl === undefined ? withoutPassword(databaseUrl) : undefined,
    chainId: chain.chainId,
    startBlock: chain.startBlock,
    contractAddress: chain.contractAddress,
  };
}

function withoutPassword(databaseUrl: string): string {
  const url = new URL(databaseUrl);
  url.password = '';
  return url.href;
}

/** Input of the start of each part. */
interface Parts {
  readonly env: Env;
  readonly teardown: Teardown;
  readonly log: (line: string) => void;
  readonly report: Report;
}

async function startChain(
  { env, teardown, log, report }: Parts,
  progress: Screen['progress'],
): Promise<ChainEnv> {
  if (env.chain !== undefined) return env.chain;
  progress('Starting a local chain');
  const { dataDir } = env;
  const { chain, anvil } = await startLocalChain({ dataDir, onProgress: progress, log });
  teardown.add('anvil', () => anvil.stop());
  void anvil.gaveUp.then(({ reason }) =>
    report(reason ?? 'The local chain cannot be started again.'),
  );
  return chain;
}

/** Starts PostgreSQL, and returns its URL; `undefined` if a database is configured. */
async function startServer(
  { env, teardown, log }: Parts,
  progress: Screen['progress'],
): Promise<string | undefined> {
  if (env.databaseUrl !== undefined) return undefined;
  progress('Starting PostgreSQL');
  // Other parts know its address, so it restarts on the port of its first start.
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
  return address.url;
}

async function startIndexing(
  { env, teardown, log, report }: Parts,
  parts: { deployment: Deployment; chain: ChainEnv; databaseUrl: string; pool: Pool },
): Promise<void> {
  const logFile = join(env.dataDir, 'logs', 'indexer.log');
  const { pollingIntervalMs } = env;
  const indexer = await superviseIndexer({ ...parts, pollingIntervalMs, logFile, log });
  teardown.add('the indexer', () => indexer.stop());
  void indexer.gaveUp.then(({ reason }) => report(indexerRefused(reason, logFile)));
}

/** Runs `tributary worker` as a supervised child. */
async function startWorkerChild(
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
  void worker.gaveUp.then(() =>
    report(`The ${name} ended, because another program uses its METRICS_PORT: see ${logFile}.`),
  );
}

/** Runs `tributary api` as a supervised child. */
async function startApiChild(
  { env, teardown, log, report }: Parts,
  childEnv: Readonly<Record<string, string>>,
  ownRpcUrl: string | undefined,
): Promise<Supervised<ApiChild>> {
  const logFile = join(env.dataDir, 'logs', 'api.log');
  const secrets = secretsOf(childEnv);
  const api = await supervise({
    name: 'The API',
    log,
    isPermanent: isPortTakenExit,
    start: () => spawnApi({ env: childEnv, logFile, secrets, ownRpcUrl }),
  });
  teardown.add('api', () => api.stop());
  void api.gaveUp.then(() =>
    report(`The API ended, because another program uses one of its ports: see ${logFile}.`),
  );
  return api;
}

/**
 * Environment of a worker or an API: the variables that it reads, with the values of this stack.
 * @param index number of the process, from 0: each serves its metrics on a port of its own.
 */
function childEnvOf(
  program: 'worker' | 'api',
  { env, chain, databaseUrl }: { env: Env; chain: ChainEnv; databaseUrl: string },
  index: number,
): Record<string, string> {
  const sample = env.chain === undefined;
  const metricsPort = metricsPorts(env)[index];
  return {
    ...inheritedEnv(program),
    DATABASE_URL: databaseUrl,
    PORT: String(env.port),
    ...(metricsPort === undefined ? {} : { METRICS_PORT: String(metricsPort) }),
    ...(sample ? variablesOfSample(chain) : {}),
    // Without a list of operators, an account of the sample moderates.
    ...(sample && env.operators.length === 0
      ? { OPERATORS: actorsOf(SAMPLE_SEED).operator.address }
      : {}),
  };
}

function variablesOfSample(chain: ChainEnv): Record<string, string> {
  return {
    CHAIN_ID: String(chain.chainId),
    RPC_URL: chain.rpcUrls.join(','),
    PUBLIC_RPC_URL: chain.rpcUrls[0] ?? '',
    CONTRACT_ADDRESS: chain.contractAddress,
    START_BLOCK: String(chain.startBlock),
    // Settings for RPCs that the sample's chain replaces.
    RPC_QUORUM: '',
    CHECK_BLOOMS: '',
    FINALITY_BLOCKS: '',
  };
}
