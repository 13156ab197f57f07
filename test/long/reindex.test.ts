import { join } from 'node:path';
import { toEventSelector } from 'viem';
import { afterEach, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import type { ReindexReport } from '../../engine/cli/reindex/reindex.ts';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import type { Indexer } from '../../engine/cli/stack/indexer.ts';
import { cliCommand, spawnChild } from '../../engine/cli/stack/processes.ts';
import type { Supervised } from '../../engine/cli/stack/supervise.ts';
import { superviseIndexer } from '../../engine/cli/start/indexer.ts';
import { readHeads } from '../../engine/db/heads.ts';
import {
  indexerProcess,
  indexerSchemas,
  readGeneration,
} from '../../engine/db/indexer/generation.ts';
import { digestsAt } from '../../engine/db/read/system/digests.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { chainEnv, startTestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { honest, type Lie, startTraitRpc } from '../support/rpc-traits/proxy.ts';
import { type CliResult, runCli } from '../support/run-cli.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

/** A test takes a minute on two free cores, and more than two next to others on slow ones. */
const LONGEST_MS = 300_000;

/** What a test has brought up, to be stopped in reverse order. */
const running: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const stop of running.splice(0).reverse()) await stop();
});

describe('tributary reindex', () => {
  it(
    'switches to a new indexer that agrees without interrupting readers, even if one is killed',
    async () => {
      const { chain, traffic, deployment } = await scene();
      const { pool } = deployment;
      let indexer = await runIndexer(deployment, chain.anvil.url);
      deployment.startWorker();
      const apiUrl = startApi(deployment, await freePort());
      await deployment.settledToHead();
      const block = Number((await chain.client.getBlock()).number);
      const before = await digestsAt(pool, block);
      const schema = (await readHeads(pool))?.indexerSchema;

      const reader = await readWithoutEnd(deployment, apiUrl);
      await killOneHalfway(deployment);
      const [result] = await Promise.all([
        reindex(deployment, chain.anvil.url, ['--json']),
        traffic.play(4),
      ]);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      const report = JSON.parse(result.stdout) as ReindexReport;
      expect(report).toMatchObject({
        before: { schema, cache: 'ponder_sync' },
        after: { number: 1, cache: 'ponder_sync_1' },
        comparison: { differences: 0, first: [], folded: [] },
        refolded: [],
        takenOver: 'yes',
      });
      expect(report.comparison.facts).toBeGreaterThan(10);
      expect((await readHeads(pool))?.indexerSchema).toBe(report.after.schema);
      await traffic.play(2);
      await deployment.settledToHead();
      expect(await digestsAt(pool, block)).toEqual(before);
      const { reads, failures, falls } = await reader();
      expect({ failures, falls }).toEqual({ failures: [], falls: [] });
      expect(reads).toBeGreaterThan(20);

      // The next start goes on with the new schema, and does not need the old one.
      await indexer.stop();
      const dropped = await reindex(deployment, chain.anvil.url, ['--drop-old', '--json']);
      expect(JSON.parse(dropped.stdout)).toEqual({ dropped: [schema, 'ponder_sync'] });
      indexer = await runIndexer(deployment, chain.anvil.url);
      await traffic.play(1);
      await deployment.settledToHead();
      expect(indexer.current()?.schema).toBe(report.after.schema);
      await expectCleanAudit(deployment);
    },
    LONGEST_MS,
  );

  it(
    'finds events that an RPC had omitted or altered, and folds the affected campaign again',
    async () => {
      const { chain, deployment } = await scene();
      const { pool } = deployment;
      const rpc = await startTraitRpc(chain.anvil.url);
      running.push(() => rpc.stop());
      const forged = forgeOnce();
      rpc.lie = forged.lie;
      await runIndexer(deployment, rpc.url);
      deployment.startWorker();
      await waitFor(() => isAlarmed(deployment), { what: 'the mismatch', timeout: 60_000 });
      await waitFor(async () => (await discrepancies(deployment)) > 0, {
        what: 'the sale with the altered share to be settled',
        timeout: 30_000,
      });
      expect(forged.altered).toBeDefined();

      // A new indexer that is reported wrongly, too, is no better: everything stays as it was.
      const before = await ledgerState(deployment);
      rpc.lie = forgeOnce().lie;
      const refused = await reindex(deployment, rpc.url, []);
      expect(refused.code).toBe(1);
      expect(refused.stderr).toMatch(/cannot be checked completely. Block \d+: /);
      expect(await ledgerState(deployment)).toEqual(before);

      rpc.lie = honest;
      const result = await reindex(deployment, rpc.url, ['--json']);
      expect(result).toMatchObject({ code: 0, stderr: '' });
      const report = JSON.parse(result.stdout) as ReindexReport;
      expect(report.comparison.differences).toBe(2);
      const [altered, left] = report.comparison.first;
      expect(altered?.old?.transactionHash).toBe(forged.altered);
      expect(altered?.new).toMatchObject({ name: 'SaleRecorded', transactionHash: forged.altered });
      expect(altered?.new?.args).not.toBe(altered?.old?.args);
      expect(left).toMatchObject({ old: null, new: { transactionHash: forged.left } });
      expect(report.refolded).toMatchObject([
        { campaignId: altered?.campaignId, outcome: 'repaired' },
      ]);
      await deployment.settledToHead();
      expect(await pool`select 1 from ledger.feeder_error`).toHaveLength(0);
      await expectCleanAudit(deployment);
    },
    LONGEST_MS,
  );
});

/** A chain whose history is final to the indexer, and an empty deployment over it. */
async function scene() {
  const chain = await startTestChain();
  running.push(() => chain.stop());
  const traffic = await Traffic.start(chain, 13, 2);
  await traffic.play(15);
  await chain.client.mine({ blocks: 65 });
  await traffic.play(3);
  const deployment = await TestDeployment.open(chain);
  running.push(() => deployment.close());
  return { chain, traffic, deployment };
}

/** The indexer as `tributary start` runs it. */
async function runIndexer(
  deployment: TestDeployment,
  rpcUrl: string,
): Promise<Supervised<Indexer>> {
  const { chain, pool, database } = deployment;
  const { genesisHash, contract, dir } = chain;
  const indexer = await superviseIndexer({
    deployment: { chainId: 31_337, genesisHash, contractAddress: contract },
    chain: { ...chainEnv(chain), rpcUrls: [rpcUrl] },
    databaseUrl: database.url,
    pool,
    pollingIntervalMs: 100,
    logFile: join(dir, 'indexer.log'),
  });
  running.push(() => indexer.stop());
  return indexer;
}

/** The variables of a process of the deployment. */
function variables({ chain, database }: TestDeployment, rpcUrl: string): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    CHAIN_ID: '31337',
    RPC_URL: rpcUrl,
    CONTRACT_ADDRESS: chain.contract,
    START_BLOCK: String(chain.startBlock),
    DATA_DIR: chain.dir,
  };
}

function reindex(
  deployment: TestDeployment,
  rpcUrl: string,
  args: readonly string[],
): Promise<CliResult> {
  return runCli(['reindex', ...args], variables(deployment, rpcUrl));
}

/** Kills a reindex that has begun to index, and waits until its indexer has ended. */
async function killOneHalfway(deployment: TestDeployment): Promise<void> {
  const { chain, pool } = deployment;
  const killed = spawnChild({
    name: 'reindex',
    ...cliCommand(['reindex']),
    env: variables(deployment, chain.anvil.url),
    logFile: join(chain.dir, 'killed.log'),
  });
  const old = (await readHeads(pool))?.indexerSchema;
  const fresh = await waitFor(
    async () =>
      (await indexerSchemas(pool)).find((name) => name !== old && name.startsWith('indexer_')),
    { what: 'the new schema', timeout: 30_000 },
  );
  await killed.kill();
  await waitFor(async () => !(await indexerProcess(pool, fresh)).running, {
    what: 'the indexer of the killed reindex to end',
    timeout: 40_000,
  });
}

function startApi(deployment: TestDeployment, port: number): string {
  const api = spawnChild({
    name: 'api',
    ...cliCommand(['api']),
    env: { ...variables(deployment, deployment.chain.anvil.url), PORT: String(port) },
    logFile: join(deployment.chain.dir, 'api.log'),
  });
  running.push(() => api.stop());
  return `http://127.0.0.1:${port}`;
}

/** Reads a receipt and the settled block again and again, until it is asked what it has seen. */
async function readWithoutEnd({ pool }: TestDeployment, apiUrl: string) {
  const receipt = `${apiUrl}/v1/receipts/31337/1`;
  await waitFor(async () => (await fetch(receipt)).ok, { what: 'the API to answer' });
  const failures: string[] = [];
  const falls: string[] = [];
  let [reads, settled, stopped] = [0, 0, false];
  const reading = (async () => {
    while (!stopped) {
      const answer = await fetch(receipt).catch((error: unknown) => String(error));
      if (typeof answer === 'string') failures.push(answer);
      else if (!answer.ok) failures.push(`${answer.status} ${await answer.text()}`);
      const number = (await readHeads(pool))?.settled?.number ?? 0;
      if (number < settled) falls.push(`from ${settled} to ${number}`);
      settled = number;
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  return async () => {
    stopped = true;
    await reading;
    return { reads, failures, falls };
  };
}

interface ReturnedLog {
  readonly data: string;
  readonly topics: readonly string[];
  readonly transactionHash: string;
}

const SALE_RECORDED = toEventSelector(
  referralCommerceAbi.filter((item) => item.type === 'event' && item.name === 'SaleRecorded')[0] ??
    '',
);

/** In one answer of `eth_getLogs`, adds to a share of a sale, and leaves the last log out. */
function forgeOnce(): { lie: Lie; altered: string | undefined; left: string | undefined } {
  const forged: ReturnType<typeof forgeOnce> = {
    altered: undefined,
    left: undefined,
    lie: (result, { method }) => {
      if (method !== 'eth_getLogs' || forged.altered !== undefined) return result;
      const logs = result as ReturnedLog[];
      const index = logs.findIndex(hasShares);
      const [sale, last] = [logs[index], logs.at(-1)];
      if (sale === undefined || last === undefined || sale === last) return result;
      forged.altered = sale.transactionHash;
      forged.left = last.transactionHash;
      const digit = Number.parseInt(sale.data.slice(-1), 16) ^ 1;
      const wrong = { ...sale, data: sale.data.slice(0, -1) + digit.toString(16) };
      return logs.with(index, wrong).slice(0, -1);
    },
  };
  return forged;
}

/** The last word of the event's data is its last share; without shares, their number. */
function hasShares({ topics, data }: ReturnedLog): boolean {
  return topics[0] === SALE_RECORDED && BigInt(`0x${data.slice(-64)}`) > 0n;
}

async function isAlarmed({ pool }: TestDeployment): Promise<boolean> {
  return (await pool`select 1 from ledger.feeder_error where name = 'mismatch'`).length > 0;
}

/** Which schemas indexers have, and which one settlement reads. */
async function ledgerState({ pool }: TestDeployment) {
  return {
    schema: (await readHeads(pool))?.indexerSchema,
    generation: await readGeneration(pool),
    schemas: await indexerSchemas(pool),
  };
}

async function discrepancies({ pool }: TestDeployment): Promise<number> {
  return (await pool`select 1 from ledger.discrepancy`).length;
}

async function expectCleanAudit({ pool, chain }: TestDeployment): Promise<void> {
  const report = await audit(pool, contractReader(chainEnv(chain)));
  expect(report).toMatchObject({ violations: [], discrepancies: 0, campaigns: 2 });
}
