import { zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Anvil } from '../../engine/cli/stack/anvil.ts';
import { openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { whileMiningByHand } from '../../sample/mining.ts';
import { planSample } from '../../sample/plan.ts';
import type { PlannedBlock, TransactionContent } from '../../sample/planned-transaction.ts';
import { writeSampleProfiles } from '../../sample/profiles.ts';
import { openRpc, type Rpc } from '../../sample/rpc.ts';
import { runSample } from '../../sample/run-sample.ts';
import { fundSenders, runBlocks, TransactionError } from '../../sample/runner.ts';
import { factsOf, START, startSampleAnvil } from '../sample/fixture.ts';
import { mined, testClient } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';

describe('runSample', () => {
  const options = { seed: 3, startTimestamp: START };
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startSampleAnvil();
  });
  afterAll(() => anvil?.stop());

  it('emits the same events in the same transactions on every chain', async () => {
    const other = await startSampleAnvil();
    try {
      const [one, two] = await Promise.all(
        [anvil, other].map(async ({ url }) => {
          const result = await runSample({ ...options, rpcUrl: url });
          const facts = await factsOf(testClient(url), result);
          return { result, facts };
        }),
      );
      expect(one).toEqual(two);
    } finally {
      await other.stop();
    }
  }, 120_000);

  it('restores the mode in which the chain mines each transaction immediately', async () => {
    const client = testClient(anvil.url);
    expect(await client.getAutomine()).toBe(true);
    const [account] = await client.getAddresses();
    if (!account) throw new Error('This chain has no accounts.');
    const before = await client.getBlockNumber();
    await mined(client, await client.sendTransaction({ account, to: account, value: 1n }));
    expect(await client.getBlockNumber()).toBe(before + 1n);
  });

  it('rejects a chain that has run the sample, and a chain that is past its start', async () => {
    const again = runSample({
      ...options,
      startTimestamp: START + 90 * 86_400,
      rpcUrl: anvil.url,
    });
    await expect(again).rejects.toThrow('has run the sample');
    const late = runSample({ ...options, rpcUrl: anvil.url });
    await expect(late).rejects.toThrow('start anvil with an earlier genesis timestamp');
  });
});

/** Joins a campaign as a root, whatever its terms are. */
function joining(campaignId: bigint) {
  return [campaignId, zeroHash, 0n, zeroAddress] as const;
}

describe('runBlocks', () => {
  const { actors, blocks } = planSample({ seed: 4, startTimestamp: START });
  const [deployment] = blocks;
  let anvil: Anvil;
  let rpc: Rpc;
  beforeAll(async () => {
    anvil = await startSampleAnvil({ blockTimeSeconds: 600 });
    rpc = openRpc(anvil.url);
  });
  afterAll(() => anvil?.stop());

  it('names the transaction that reverted and its error, and restores mining', async () => {
    const content: TransactionContent = {
      kind: 'commerce',
      functionName: 'join',
      args: joining(99n),
    };
    const transaction = { by: actors.keeper, what: 'joins a campaign that is not there', content };
    const planned: PlannedBlock[] = [
      ...(deployment ? [deployment] : []),
      { timestamp: START + 120, transactions: [transaction] },
    ];
    const target = { chainId: 31_337, contractAddress: actors.contractAddress };
    const run = whileMiningByHand(rpc, async () => {
      await fundSenders(rpc, planned);
      await runBlocks(rpc, target, planned, () => {});
    });
    await expect(run).rejects.toThrow(TransactionError);
    await expect(run).rejects.toThrow(
      'keeper joins a campaign that is not there: reverted with UnknownCampaign(99).',
    );
    expect(await rpc.request('anvil_getIntervalMining')).toBe(600);
    expect(await rpc.request('anvil_getAutomine')).toBe(false);
  });

  it('names the transaction that the chain refused', async () => {
    const content: TransactionContent = {
      kind: 'commerce',
      functionName: 'join',
      args: joining(1n),
    };
    const [pauper] = actors.buyers.slice(-1);
    if (!pauper) throw new Error('There are no buyers.');
    const planned = [
      {
        timestamp: START + 900,
        transactions: [{ by: pauper, what: 'pays with nothing', content }],
      },
    ];
    const target = { chainId: 31_337, contractAddress: actors.contractAddress };
    const run = whileMiningByHand(rpc, () => runBlocks(rpc, target, planned, () => {}));
    await expect(run).rejects.toThrow(/^buyer 60 pays with nothing: was refused \(.*funds/i);
  });
});

describe('writeSampleProfiles', () => {
  it('writes each profile once, even if it is called twice', async () => {
    const database = await createTestDatabase();
    const pool = openPool(database.url);
    try {
      await migrate(pool);
      await writeSampleProfiles(pool);
      await writeSampleProfiles(pool);
      const products = await pool<{ title: string; version: number }[]>`
        select title, version from commerce.product order by title`;
      const merchants = await pool`select slug from commerce.merchant`;
      expect(merchants).toHaveLength(4);
      expect(products).toHaveLength(7);
      expect(products.every(({ version }) => version === 1)).toBe(true);
      expect(products.map(({ title }) => title)).toContain('The quarterly atlas');
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
