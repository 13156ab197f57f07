import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Disk } from 'flydrive';
import { FSDriver } from 'flydrive/drivers/fs';
import pino from 'pino';
import { createPublicClient, custom, type PublicClient } from 'viem';
import type { Chain } from '../../../engine/chain/chain.ts';
import { rpcClient } from '../../../engine/chain/client.ts';
import {
  type Client,
  type ClientOptions,
  type ClientSession,
  createClient,
} from '../../../engine/client/index.ts';
import { pathsOf } from '../../../engine/contract/define.ts';
import { methods } from '../../../engine/contract/registry.ts';
import type { Fact } from '../../../engine/core/events.ts';
import { saveConfirmation } from '../../../engine/db/commerce/confirmations.ts';
import { openPool, type Pool } from '../../../engine/db/connection.ts';
import { claimDeployment } from '../../../engine/db/deployment.ts';
import { setIndexerSchema } from '../../../engine/db/heads.ts';
import { migrate } from '../../../engine/db/migrate.ts';
import { readSettings } from '../../../engine/db/read/snapshot.ts';
import { createApp } from '../../../engine/http/app.ts';
import { newToken, tokenHashOf } from '../../../engine/http/auth/token.ts';
import type { AppDeps } from '../../../engine/http/deps.ts';
import { deriveKeys } from '../../../engine/secrets/keys.ts';
import { feed } from '../../../engine/settlement/feeder.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import type { TestDeployment } from '../../support/deployment.ts';
import { lower } from '../../support/facts.ts';
import { account, hash } from '../../support/history.ts';
import { FakeChain, IndexerTable } from '../../support/indexer-table.ts';
import { keccak } from '../../support/ledger.ts';
import { expectNoBytes } from '../../support/no-bytes.ts';
import { PushedJobs, settleJob } from '../../support/settle-jobs.ts';
import { signedIn } from './session.ts';

export const CHAIN_ID = 31_337;

/** An account that may moderate. */
export const OPERATOR = account(79);

/** A client of a chain that never answers. */
const silentClient: PublicClient = createPublicClient({
  transport: custom(
    { request: () => Promise.reject(new Error('no chain here')) },
    { retryCount: 0 },
  ),
});

/** A client of a chain that has none of the ledger's sales, and answers nothing else. */
export const clientWithoutSales: PublicClient = createPublicClient({
  transport: custom(
    {
      request: async ({ method }) => {
        if (method !== 'eth_call') throw new Error('no chain here');
        throw Object.assign(new Error('execution reverted'), { code: 3, data: '0x' });
      },
    },
    { retryCount: 0 },
  ),
});

/** As the API opens it. */
const poolOptions = { max: 4, settings: readSettings };

/** Options of a client of the fixture. */
interface ClientChoices extends Pick<ClientOptions, 'apiKey' | 'merchant'> {
  /** Id of the session, if writes that need a fresh signature shall get one, without the ceremony. */
  readonly signs?: string;
}

/** The API over a real ledger, which real settlement folded out of facts that the test gives. */
export class ApiFixture {
  readonly #table: IndexerTable;
  #fake = new FakeChain();

  private constructor(
    readonly pool: Pool,
    readonly deps: AppDeps,
    readonly databaseUrl: string,
    readonly drop: () => Promise<void>,
  ) {
    this.#table = new IndexerTable(pool, 'indexer_test');
  }

  /** @param given database of a server that the test started; by default one of the shared server. */
  static async open(changes: Partial<AppDeps> = {}, given?: TestDatabase): Promise<ApiFixture> {
    const database = given ?? (await createTestDatabase());
    const pool = openPool(database.url, poolOptions);
    await migrate(pool);
    const deployment = changes.deployment ?? {
      chainId: CHAIN_ID,
      genesisHash: hash('genesis'),
      contractAddress: account(0xc0ffee),
      startBlock: 0,
      explorerUrl: null,
    };
    await claimDeployment(pool, deployment);
    await setIndexerSchema(pool, 'indexer_test');
    const fixture = await ApiFixture.#over(pool, database, { ...changes, deployment });
    await fixture.#table.create();
    return fixture;
  }

  /** The API over a deployment that its own parts settle. Close it before them; the database stays. */
  static async over({ chain, database }: TestDeployment): Promise<ApiFixture> {
    const pool = openPool(database.url, poolOptions);
    return await ApiFixture.#over(
      pool,
      { url: database.url, drop: async () => {} },
      {
        client: rpcClient([chain.anvil.url]),
        deployment: {
          chainId: chain.chainId,
          genesisHash: chain.genesisHash,
          contractAddress: lower(chain.contract),
          startBlock: Number(chain.startBlock),
          explorerUrl: null,
        },
      },
    );
  }

  static async #over(
    pool: Pool,
    { url, drop }: Pick<TestDatabase, 'url' | 'drop'>,
    changes: Partial<AppDeps> & Pick<AppDeps, 'deployment'>,
  ): Promise<ApiFixture> {
    const filesDirectory = await mkdtemp(join(tmpdir(), 'tributary-files-'));
    const deps: AppDeps = {
      pool,
      client: silentClient,
      queueStats: async () => ({ waiting: 0, active: 0, delayed: 0 }),
      jobs: { pushReport: async () => {} },
      logger: pino({ level: 'silent' }),
      allowedOrigins: ['https://shop.example'],
      operators: [OPERATOR],
      enabled: new Set(),
      publicUrl: 'https://shop.example',
      keys: deriveKeys(['a secret of tests, 32 characters or more']),
      files: new Disk(new FSDriver({ location: filesDirectory, visibility: 'private' })),
      clock: Date.now,
      limits: { take: async () => undefined },
      trustedProxies: 0,
      ...changes,
    };
    return new ApiFixture(pool, deps, url, async () => {
      await drop();
      await rm(filesDirectory, { recursive: true, force: true });
    });
  }

  /** The same ledger on another server: a standby that was promoted. */
  onServer(databaseUrl: string): ApiFixture {
    const pool = openPool(databaseUrl, poolOptions);
    const moved = new ApiFixture(pool, { ...this.deps, pool }, databaseUrl, async () => {});
    moved.#fake = this.#fake;
    return moved;
  }

  /** Lets the indexer have these facts, and settles them all. */
  async settle(
    facts: readonly Fact[],
    options: { chain?: Chain; finalized?: number; time?: number } = {},
  ): Promise<void> {
    const last = facts.at(-1);
    if (last === undefined) return;
    this.#fake.follow(facts);
    await this.#table.insert(facts);
    await this.#table.setHead(
      { number: last.blockNumber, timestamp: options.time ?? last.timestamp },
      { number: options.finalized ?? 0, timestamp: 0 },
    );
    const chain = options.chain ?? this.#fake;
    for (let round = 0; round < 1_000; round += 1) {
      const queue = new PushedJobs();
      const onChainError = (error: unknown) => {
        throw error;
      };
      await feed({ pool: this.pool, chain, queue, onChainError });
      for (const job of queue.jobs) {
        await settleJob({ pool: this.pool, chain, keccak256: keccak, batchSize: 10_000 }, job);
      }
      if (queue.jobs.length === 0) return;
    }
    throw new Error('The ledger does not come to rest.');
  }

  /** The app. No answer of it may have bytes as PostgreSQL writes them. */
  app(changes: Partial<AppDeps> = {}) {
    const app = createApp({ ...this.deps, ...changes });
    const { request } = app;
    app.request = async (...requested) => {
      const response = await request(...requested);
      const type = response.headers.get('content-type') ?? '';
      if (/json|csv|html/.test(type)) expectNoBytes(await response.clone().text());
      return response;
    };
    return app;
  }

  /** A client over the app itself; each answer is held against its method's output schema. */
  client(
    changes: Partial<AppDeps> = {},
    session?: ClientSession,
    { signs, ...options }: ClientChoices = {},
  ): Client {
    const app = this.app(changes);
    const request = signs === undefined ? app.request : this.#signing(app, signs);
    const origin = this.deps.allowedOrigins[0];
    return createClient({
      baseUrl: 'http://api.test',
      ...options,
      ...(session && origin !== undefined ? { session, origin } : {}),
      fetch: async (input, init) => {
        const url = String(input);
        const response = await request(url, init);
        await expectShape(url, init?.method ?? 'GET', response.clone());
        return response;
      },
    });
  }

  /** The same, signed in as that account, in lower case. */
  async clientAs(address: `0x${string}`, changes: Partial<AppDeps> = {}): Promise<Client> {
    const { csrfToken, reading } = await signedIn({ ...this.deps, ...changes }, address);
    return this.client(changes, { csrfToken, cookie: reading.cookie });
  }

  /** As `clientAs`, with a fresh signature for each write that needs one. */
  async signingClientAs(
    address: `0x${string}`,
    changes: Partial<AppDeps> = {},
    options: Pick<ClientOptions, 'merchant'> = {},
  ): Promise<Client> {
    const { id, csrfToken, reading } = await signedIn({ ...this.deps, ...changes }, address);
    return this.client(changes, { csrfToken, cookie: reading.cookie }, { ...options, signs: id });
  }

  /** Sends a request, and repeats it with a fresh signature of the session if it needs one. */
  #signing(app: ReturnType<typeof createApp>, sessionId: string) {
    const confirmationToken = newToken();
    return async (url: string, init?: RequestInit): Promise<Response> => {
      const response = await app.request(url, init);
      const text = response.status === 403 ? await response.clone().text() : '';
      if (!text.includes('CONFIRMATION_REQUIRED')) return response;
      const until = new Date(this.deps.clock() + 300_000);
      await saveConfirmation(this.pool, sessionId, tokenHashOf(confirmationToken), until);
      const body = JSON.stringify({ ...JSON.parse(String(init?.body)), confirmationToken });
      return await app.request(url, { ...init, body });
    };
  }

  async close(): Promise<void> {
    await this.pool.end();
    await this.drop();
  }
}

/** Each method, and what its paths look like. */
const pathsByMethod = methods.map((method) => ({
  method,
  patterns: pathsOf(method).map(patternOf),
}));

async function expectShape(url: string, verb: string, response: Response): Promise<void> {
  if (!response.ok) return;
  const { pathname } = new URL(url);
  const answering = pathsByMethod.filter(
    ({ method, patterns }) =>
      method.method === verb && patterns.some((pattern) => pattern.test(pathname)),
  );
  // A path without a placeholder goes before one with it.
  const { method } = answering.find(({ method }) => method.path === pathname) ?? answering[0] ?? {};
  const body: unknown = await response.json();
  if (method?.output === undefined) throw new Error(`No method answers ${pathname}.`);
  method.output.parse(typeof body === 'object' && body !== null && 'data' in body && body.data);
}

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`);
}
