import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { openPool } from '../../engine/db/connection.ts';
import { startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { settledToHead } from '../support/deployment.ts';
import { type Part, startPart } from '../support/parts.ts';
import { type Installation, runCli } from '../support/run-cli.ts';
import { Traffic } from '../support/traffic.ts';

/** Milliseconds in which a part must end after SIGTERM (docs/operate/containers.md). */
const STOP_MS = { indexer: 20_000, worker: 20_000, api: 37_000 };

/** A chain that is not the local one, as every rule for anvil depends on its id. */
const CHAIN_ID = 84_532;

type Name = keyof typeof STOP_MS;

/** Indexer, workers and APIs as separate processes of an installation, on a chain and an empty database. */
export class SeparateParts {
  readonly #parts: Part[] = [];

  private constructor(
    readonly installation: Installation,
    readonly chain: TestChain,
    readonly traffic: Traffic,
    readonly database: TestDatabase,
    readonly env: Readonly<Record<string, string>>,
  ) {}

  /** @param env variables of all parts, such as `DATA_DIR`. */
  static async open(
    installation: Installation,
    env: Readonly<Record<string, string>>,
  ): Promise<SeparateParts> {
    const [chain, database] = await Promise.all([
      startTestChain({ chainId: CHAIN_ID }),
      createTestDatabase({ empty: true }),
    ]);
    const traffic = await Traffic.start(chain, 7, 2);
    await traffic.play(12);
    return new SeparateParts(installation, chain, traffic, database, {
      DATABASE_URL: database.url,
      CHAIN_ID: String(CHAIN_ID),
      RPC_URL: chain.anvil.url,
      CONTRACT_ADDRESS: chain.contract,
      START_BLOCK: String(chain.startBlock),
      RPC_REQUESTS_PER_SECOND: '500',
      DRAIN_SECONDS: '1',
      SECRET: 'a secret of thirty-two characters',
      ...env,
    });
  }

  async start(name: Name, env: Readonly<Record<string, string>> = {}): Promise<Part> {
    const part = await startPart(this.installation, name, { ...this.env, ...env });
    this.#parts.push(part);
    return part;
  }

  async stopAll(): Promise<void> {
    const stopped = await Promise.all(
      this.#parts.splice(0).map(async (part) => ({ part, end: await part.stop() })),
    );
    for (const { part, end } of stopped) {
      expect({ name: part.name, code: end.code }, part.output().slice(-3_000)).toEqual({
        name: part.name,
        code: 0,
      });
      expect(end.ms).toBeLessThan(STOP_MS[part.name as Name]);
    }
  }

  /** Migrates an empty database twice. */
  async migrate(): Promise<void> {
    const names = await readdir(join(this.installation.root, 'engine/db/migrations'));
    const deployment = { chainId: CHAIN_ID, contractAddress: this.chain.contract.toLowerCase() };
    const first = await runCli(['migrate', '--json'], this.env, this.installation);
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 0, stderr: '' });
    const applied = JSON.parse(first.stdout);
    expect(applied.applied).toEqual(names.filter((name) => name.endsWith('.sql')).sort());
    expect(applied.deployment).toMatchObject(deployment);
    // The RPC is only asked once.
    const withoutRpc = { ...this.env, RPC_URL: 'http://127.0.0.1:1' };
    const again = await runCli(['migrate', '--json'], withoutRpc, this.installation);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ applied: [], deployment });
  }

  /** Waits until everything is settled, and compares the number of sales with the API's. */
  async settled(api: Part): Promise<void> {
    const pool = openPool(this.database.url, { max: 2 });
    try {
      await settledToHead({ chain: this.chain, pool }, 90_000);
      const [row] = await pool<{ sales: number }[]>`
        select count(*)::int as sales from ledger.sale`;
      await api.until('/ready', 200);
      const client = createClient({ baseUrl: api.apiUrl });
      const { data } = await client.receipts.recent({ limit: 100 });
      expect(data.items.length).toBeGreaterThan(0);
      expect(data.items).toHaveLength(row?.sales ?? -1);
    } finally {
      await pool.end();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.splice(0).map((part) => part.stop('SIGKILL')));
    await this.database.drop();
    await this.chain.stop();
  }
}
