import { join } from 'node:path';
import { VIEWS_SCHEMA } from '../../engine/cli/connect.ts';
import type { Indexer, IndexerOptions } from '../../engine/cli/stack/indexer.ts';
import { type Child, cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { campaignsDue, setIndexerSchema } from '../../engine/db/heads.ts';
import { migrate } from '../../engine/db/migrate.ts';
import type { TestChain } from './chain.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startTestIndexer, testIndexerSchema } from './indexer.ts';
import { waitFor } from './wait-for.ts';

/** A whole deployment over a test's chain, without the API: database, indexer and workers. */
export class TestDeployment {
  readonly workers: Child[] = [];
  #indexer: Indexer | undefined;
  #started = 0;

  private constructor(
    readonly chain: TestChain,
    readonly database: TestDatabase,
    readonly pool: Pool,
    readonly redisUrl: string | undefined,
  ) {}

  static async open(
    chain: TestChain,
    options: { redisUrl?: string | undefined; database?: TestDatabase } = {},
  ): Promise<TestDeployment> {
    const database = options.database ?? (await createTestDatabase());
    const pool = openPool(database.url, { max: 4 });
    await migrate(pool);
    await claimDeployment(pool, {
      chainId: chain.chainId,
      genesisHash: chain.genesisHash,
      contractAddress: chain.contract,
    });
    await setIndexerSchema(pool, await testIndexerSchema(chain));
    return new TestDeployment(chain, database, pool, options.redisUrl);
  }

  get indexer(): Indexer {
    if (this.#indexer === undefined) throw new Error('The indexer was not started.');
    return this.#indexer;
  }

  async startIndexer(changes: Partial<IndexerOptions> = {}): Promise<void> {
    this.#indexer = await startTestIndexer(this.chain, this.database.url, {
      viewsSchema: VIEWS_SCHEMA,
      ...changes,
    });
  }

  /** Environment variables by which a process finds this deployment. */
  variables(): Record<string, string> {
    const { chain, database, redisUrl } = this;
    return {
      DATABASE_URL: database.url,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      CHAIN_ID: String(chain.chainId),
      RPC_URL: chain.anvil.url,
      CONTRACT_ADDRESS: chain.contract,
      START_BLOCK: String(chain.startBlock),
    };
  }

  /** @param env variables of its environment to add or replace. */
  startWorker(env: Readonly<Record<string, string>> = {}): Child {
    const { chain } = this;
    const worker = spawnChild({
      name: 'worker',
      ...cliCommand(['worker']),
      env: { ...this.variables(), ...env },
      logFile: join(chain.dir, `worker-${this.#started}.log`),
    });
    this.#started += 1;
    this.workers.push(worker);
    return worker;
  }

  /** Stops indexer and workers in order; the database stays, and they can be started again. */
  async stopParts(): Promise<void> {
    await Promise.all([...this.workers.splice(0), this.indexer].map((part) => part.stop()));
  }

  /** Kills indexer and workers with SIGKILL. */
  async killParts(): Promise<void> {
    await Promise.all([...this.workers.splice(0), this.indexer].map((part) => part.kill()));
  }

  async settledToHead(timeout = 60_000): Promise<void> {
    await settledToHead(this, timeout);
  }

  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.#indexer?.stop();
    await this.pool.end();
    await this.database.drop();
  }
}

/** Waits until the settled block is the chain's head, and every clock has followed it. */
export async function settledToHead(
  { chain, pool }: { readonly chain: Pick<TestChain, 'client'>; readonly pool: Pool },
  timeout: number,
): Promise<void> {
  await waitFor(
    async () => {
      // Not `readHeads`, whose columns an older release lacks: an upgrade begins with it.
      const settled = pool<{ hash: string; timestamp: number }[]>`
        select settled_hash as hash, settled_timestamp::int as timestamp from ledger.head`;
      const [head, [heads]] = await Promise.all([chain.client.getBlock(), settled]);
      if (heads?.hash !== head.hash) return false;
      return (await campaignsDue(pool, heads.timestamp)).length === 0;
    },
    { what: 'the settled block to be the head of the chain', timeout },
  );
}
