import { zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playSample, writeSampleProfiles } from '../../engine/cli/sample/index.ts';
import { whileMiningByHand } from '../../engine/cli/sample/mining.ts';
import { planSample } from '../../engine/cli/sample/plan.ts';
import { payIn, playBlocks, StepError } from '../../engine/cli/sample/player.ts';
import { openRpc, type Rpc } from '../../engine/cli/sample/rpc.ts';
import type { Call, PlannedBlock } from '../../engine/cli/sample/steps.ts';
import type { Anvil } from '../../engine/cli/stack/anvil.ts';
import { openPool } from '../../engine/db/connection.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { mined, testClient } from '../support/chain.ts';
import { createTestDatabase } from '../support/database.ts';
import { factsOf, START, startSampleAnvil } from './played.ts';

describe('playing the sample', () => {
  const options = { seed: 3, startTimestamp: START };
  let anvil: Anvil;
  beforeAll(async () => {
    anvil = await startSampleAnvil();
  });
  afterAll(() => anvil?.stop());

  it('makes the same events in the same transactions each time', async () => {
    const other = await startSampleAnvil();
    try {
      const [one, two] = await Promise.all(
        [anvil, other].map(async ({ url }) => {
          const played = await playSample({ ...options, rpcUrl: url });
          const facts = await factsOf(testClient(url), played);
          return { played, facts };
        }),
      );
      expect(one).toEqual(two);
    } finally {
      await other.stop();
    }
  }, 120_000);

  it('leaves a chain that mines each transaction at once, as it did before', async () => {
    const client = testClient(anvil.url);
    expect(await client.getAutomine()).toBe(true);
    const [account] = await client.getAddresses();
    if (!account) throw new Error('This chain has no accounts.');
    const before = await client.getBlockNumber();
    await mined(client, await client.sendTransaction({ account, to: account, value: 1n }));
    expect(await client.getBlockNumber()).toBe(before + 1n);
  });

  it('refuses a chain that has played it, and one that is too far', async () => {
    const again = playSample({
      ...options,
      startTimestamp: START + 90 * 86_400,
      rpcUrl: anvil.url,
    });
    await expect(again).rejects.toThrow('has played the sample');
    const late = playSample({ ...options, rpcUrl: anvil.url });
    await expect(late).rejects.toThrow('start anvil with an earlier genesis timestamp');
  });
});

/** Joins a campaign as a root, whatever its terms are. */
function joining(campaignId: bigint) {
  return [campaignId, zeroHash, 0n, zeroAddress] as const;
}

describe('a step that fails', () => {
  const { cast, blocks } = planSample({ seed: 4, startTimestamp: START });
  const [deployment] = blocks;
  let anvil: Anvil;
  let rpc: Rpc;
  beforeAll(async () => {
    anvil = await startSampleAnvil({ blockTimeSeconds: 600 });
    rpc = openRpc(anvil.url);
  });
  afterAll(() => anvil?.stop());

  it('is named together with the error of the contract, and mining is put back', async () => {
    const call: Call = { kind: 'commerce', functionName: 'join', args: joining(99n) };
    const step = { by: cast.keeper, what: 'joins a campaign that is not there', call };
    const planned: PlannedBlock[] = [
      ...(deployment ? [deployment] : []),
      { timestamp: START + 120, steps: [step] },
    ];
    const target = { chainId: 31_337, contractAddress: cast.contractAddress };
    const played = whileMiningByHand(rpc, async () => {
      await payIn(rpc, planned);
      await playBlocks(rpc, target, planned, () => {});
    });
    await expect(played).rejects.toThrow(StepError);
    await expect(played).rejects.toThrow(
      'keeper joins a campaign that is not there: reverted with UnknownCampaign(99).',
    );
    expect(await rpc.request('anvil_getIntervalMining')).toBe(600);
    expect(await rpc.request('anvil_getAutomine')).toBe(false);
  });

  it('is named, too, where the chain refuses its transaction', async () => {
    const call: Call = { kind: 'commerce', functionName: 'join', args: joining(1n) };
    const [pauper] = cast.buyers.slice(-1);
    if (!pauper) throw new Error('Nobody buys.');
    const planned = [
      { timestamp: START + 900, steps: [{ by: pauper, what: 'pays with nothing', call }] },
    ];
    const target = { chainId: 31_337, contractAddress: cast.contractAddress };
    const played = whileMiningByHand(rpc, () => playBlocks(rpc, target, planned, () => {}));
    await expect(played).rejects.toThrow(/^buyer 60 pays with nothing: was refused \(.*funds/i);
  });
});

describe('the profiles of the sample', () => {
  it('are written once, however often', async () => {
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
      expect(products[4]?.title).toBe('Meridian Press – The quarterly atlas');
    } finally {
      await pool.end();
      await database.drop();
    }
  });
});
