import { join } from 'node:path';
import { contractReader } from '../../../engine/chain/contract-reader.ts';
import { VIEWS_SCHEMA } from '../../../engine/cli/connect.ts';
import { createDatabase } from '../../../engine/cli/stack/database.ts';
import { freePort } from '../../../engine/cli/stack/free-port.ts';
import { type Indexer, startIndexer } from '../../../engine/cli/stack/indexer.ts';
import { type Postgres, startPostgres } from '../../../engine/cli/stack/postgres.ts';
import { type Child, projectRoot, spawnChild } from '../../../engine/cli/stack/processes.ts';
import { type Supervised, supervise } from '../../../engine/cli/stack/supervise.ts';
import { openPool, type Pool } from '../../../engine/db/connection.ts';
import { claimDeployment } from '../../../engine/db/deployment.ts';
import { setIndexerSchema } from '../../../engine/db/heads.ts';
import { migrate } from '../../../engine/db/migrate.ts';
import { chainEnv, type TestChain } from '../../support/chain.ts';
import { settledToHead } from '../../support/deployment.ts';
import { testIndexerSchema } from '../../support/indexer.ts';
import { waitFor } from '../../support/wait-for.ts';
import { SimulatedRedis } from './redis.ts';
import { RpcProxy } from './rpc-proxy.ts';

/** Connections of the simulation's own pool. */
const POOL_CONNECTIONS = 6;

/** A part of the system that an outage can take. */
export type Part = 'workers' | 'indexer' | 'api' | 'postgres';

/** Options of a simulated system. */
export interface SystemOptions {
  readonly chain: TestChain;
  /** The folder of its database and logs. */
  readonly dir: string;
  readonly redis: boolean;
  readonly workers: number;
}

/** Restarts come fast: a simulation has no minute to wait. */
const RESTARTS = { firstDelayMs: 100, longestDelayMs: 1_000, stableAfterMs: 5_000 };

/** The product as it runs in production, with every part in reach of the simulation. */
export class System {
  readonly #workers: { child: Supervised<Child>; clockShiftMs: number }[] = [];
  #api: Supervised<Child> | undefined;
  #indexer: Supervised<Indexer> | undefined;
  #started = 0;

  private constructor(
    readonly chain: TestChain,
    readonly dir: string,
    readonly proxy: RpcProxy,
    readonly redis: SimulatedRedis | undefined,
    private postgres: Postgres,
    readonly databaseUrl: string,
    readonly pool: Pool,
    readonly apiPort: number,
  ) {}

  static async open({ chain, dir, redis, workers }: SystemOptions): Promise<System> {
    const proxy = await RpcProxy.start(chain.anvil.url);
    const postgres = await startPostgres({ dataDir: dir });
    const databaseUrl = await createDatabase(postgres.url, 'simulation');
    const pool = openPool(databaseUrl, { max: POOL_CONNECTIONS, applicationName: 'simulator' });
    const server = redis ? await SimulatedRedis.start(join(dir, 'redis')) : undefined;
    const apiPort = await freePort();
    const parts = [chain, dir, proxy, server, postgres, databaseUrl, pool, apiPort] as const;
    const system = new System(...parts);
    try {
      await system.#begin(workers);
    } catch (error) {
      await system.close();
      throw error;
    }
    return system;
  }

  get apiUrl(): string {
    return `http://127.0.0.1:${this.apiPort}`;
  }

  /** A reader of the contract that goes around the proxy: checks must not depend on its faults. */
  get contract() {
    return contractReader(chainEnv(this.chain));
  }

  get indexer(): Indexer | undefined {
    return this.#indexer?.current();
  }

  get api(): Child | undefined {
    return this.#api?.current();
  }

  /** The workers that run just now. */
  get workers(): Child[] {
    return this.#workers.flatMap(({ child }) => child.current() ?? []);
  }

  /** Starts or stops workers until so many run, all by the right time. */
  async setWorkers(count: number, clockShiftMs = 0): Promise<void> {
    const wrong = this.#workers.filter((one) => one.clockShiftMs !== clockShiftMs);
    for (const one of wrong) this.#workers.splice(this.#workers.indexOf(one), 1);
    const superfluous = [...wrong, ...this.#workers.splice(count)];
    await Promise.all(superfluous.map(({ child }) => child.stop()));
    while (this.#workers.length < count) {
      this.#started += 1;
      const child = await this.#run(`worker-${this.#started}`, 'worker', clockShiftMs);
      this.#workers.push({ child, clockShiftMs });
    }
  }

  /** Starts the API, in place of the one that runs. */
  async startApi(clockShiftMs: number): Promise<void> {
    await this.#api?.stop();
    this.#api = await this.#run('api', 'api', clockShiftMs);
  }

  async untilApiAnswers(timeout = 60_000): Promise<void> {
    await waitFor(async () => (await fetch(`${this.apiUrl}/health`)).ok, {
      what: 'the API to answer',
      timeout,
      interval: 50,
    });
  }

  /** Ends PostgreSQL as a crash would, and starts it again where it was. */
  async crashPostgres(): Promise<void> {
    const { port } = this.postgres;
    await this.postgres.stop('immediate');
    this.postgres = await startPostgres({ dataDir: this.dir, port });
  }

  /**
   * Takes parts down, and leaves them down.
   * @param orderly true to stop them, false to kill them.
   * @returns what starts them again.
   */
  async takeDown(parts: readonly Part[], orderly: boolean): Promise<() => Promise<void>> {
    const workers = this.#workers.length;
    if (parts.includes('workers')) {
      const running = this.#workers.splice(0).map(({ child }) => child);
      await Promise.all(running.map((child) => end(child, orderly)));
    }
    if (parts.includes('indexer')) await end(this.#indexer, orderly);
    if (parts.includes('api')) await end(this.#api, orderly);
    if (parts.includes('postgres')) await this.postgres.stop(orderly ? 'fast' : 'immediate');
    return async () => {
      if (parts.includes('postgres')) {
        this.postgres = await startPostgres({ dataDir: this.dir, port: this.postgres.port });
        await this.#untilPoolAnswers();
      }
      if (parts.includes('indexer')) await this.#startIndexer();
      if (parts.includes('workers')) await this.setWorkers(workers);
      if (parts.includes('api')) await this.startApi(0);
    };
  }

  /** A connection that was refused while the server stopped says so to its next query. */
  async #untilPoolAnswers(): Promise<void> {
    const onEach = Array.from({ length: POOL_CONNECTIONS });
    await waitFor(
      async () =>
        (await Promise.all(onEach.map(() => this.pool`select pg_sleep(0.01)`))).length > 0,
      { what: 'every connection of the pool to answer' },
    );
  }

  async settledToHead(timeout: number): Promise<void> {
    await settledToHead(this, timeout);
  }

  async close(): Promise<void> {
    const running = [...this.#workers.map(({ child }) => child), this.#api, this.#indexer];
    await Promise.all(running.map((one) => one?.stop()));
    await this.pool.end({ timeout: 5 });
    await Promise.all([this.redis?.stop(), this.proxy.stop(), this.postgres.stop()]);
  }

  /** The ledger, and all that runs on it, in the order in which the data flows. */
  async #begin(workers: number): Promise<void> {
    const { chain, pool } = this;
    await migrate(pool);
    await claimDeployment(pool, {
      chainId: 31_337,
      genesisHash: chain.genesisHash,
      contractAddress: chain.contract,
    });
    await setIndexerSchema(pool, await testIndexerSchema(chain));
    await this.#startIndexer();
    await this.setWorkers(workers);
    await this.startApi(0);
    await this.untilApiAnswers(90_000);
  }

  async #startIndexer(): Promise<void> {
    const { chain } = this;
    const schema = await testIndexerSchema(chain);
    this.#indexer = await supervise({
      ...RESTARTS,
      name: 'the indexer',
      start: () =>
        startIndexer({
          databaseUrl: this.databaseUrl,
          schema,
          viewsSchema: VIEWS_SCHEMA,
          rpcUrls: [this.proxy.url('indexer'), this.proxy.url('indexer', 'second')],
          chainId: 31_337,
          contractAddress: chain.contract,
          startBlock: Number(chain.startBlock),
          pollingIntervalMs: 100,
          logFile: join(this.dir, 'logs', 'indexer.log'),
        }),
    });
  }

  async #run(
    name: string,
    command: 'worker' | 'api',
    clockShiftMs: number,
  ): Promise<Supervised<Child>> {
    const { chain } = this;
    const preload = join(projectRoot, 'test', 'simulator', 'parts', 'shifted-clock.mjs');
    const shifted = clockShiftMs === 0 ? [] : ['--import', preload];
    return await supervise({
      ...RESTARTS,
      name,
      start: () =>
        spawnChild({
          name,
          command: process.execPath,
          args: [...shifted, join(projectRoot, 'scripts', 'tributary.mjs'), command],
          cwd: projectRoot,
          env: {
            DATABASE_URL: this.databaseUrl,
            ...(this.redis === undefined ? {} : { REDIS_URL: this.redis.url }),
            CHAIN_ID: '31337',
            RPC_URL: `${this.proxy.url(command)},${this.proxy.url(command, 'second')}`,
            CONTRACT_ADDRESS: chain.contract,
            START_BLOCK: String(chain.startBlock),
            PORT: String(this.apiPort),
            RATE_LIMIT_PER_MINUTE: '1000000',
            DATA_DIR: this.dir,
            CLOCK_SHIFT_MS: String(clockShiftMs),
          },
          logFile: join(this.dir, 'logs', `${name}.log`),
        }),
    });
  }
}

/** Ends a part for good. @param orderly true to stop it, false to kill it. */
async function end(part: Supervised<Child> | undefined, orderly: boolean): Promise<void> {
  // Stopped first, so that nothing starts the part again after the kill.
  const stopped = part?.stop();
  if (!orderly) await part?.current()?.kill();
  await stopped;
}
