import { type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { buy } from '../support/actions.ts';
import { accountAt, chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { differencesFromChain } from '../support/folded-again.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { Traffic } from '../support/traffic.ts';

let chain: TestChain;
let traffic: Traffic;
let deployment: TestDeployment;

beforeAll(async () => {
  chain = await startTestChain();
  traffic = await Traffic.start(chain, 31);
  await traffic.play(40);
  // Past the indexer's finality (30 blocks on this chain), so that some of it is final.
  await chain.client.mine({ blocks: 65 });
  deployment = await TestDeployment.open(chain);
  await deployment.startIndexer();
  deployment.startWorker();
  await traffic.play(40);
  await deployment.settledToHead();
});

afterAll(async () => {
  await deployment?.close();
  await chain?.stop();
});

describe('a reorg', () => {
  it.each([3, 20])(
    'leaves the ledger of the final chain after a reorg of %i blocks',
    async (depth) => {
      await traffic.play(depth - 3);
      const place = await traffic.somewhere();
      const buyer = accountAt(chain.accounts, 4);
      const moved = { ...place, buyer, orderKey: orderKey(`moved ${depth}`) };
      await buy(chain, place.campaignId, buyer, moved);
      const dropped = await buy(chain, place.campaignId, buyer, { nodeId: place.nodeId });
      await deployment.settledToHead();
      expect(await orderKeys()).toContain(moved.orderKey);
      expect(await orderKeys()).toContain(dropped.orderKey);

      // Another sale takes the first one's place and number; the first comes later; the last, never.
      const other = { ...place, buyer, orderKey: orderKey(`other ${depth}`) };
      await reorg(chain, depth, [
        [purchase(chain, other), 0],
        [purchase(chain, moved), depth - 1],
      ]);
      await traffic.afterReorg();
      await traffic.play(4);
      await deployment.settledToHead();

      const keys = await orderKeys();
      expect(keys).toContain(other.orderKey);
      expect(keys).not.toContain(dropped.orderKey);
      await expectChainAgrees();
    },
    120_000,
  );

  it('notices a reorg that only removes blocks, without a new event', async () => {
    const place = await traffic.somewhere();
    const snapshot = await chain.client.snapshot();
    const buyer = accountAt(chain.accounts, 5);
    const orphaned = await buy(chain, place.campaignId, buyer, { nodeId: place.nodeId });
    await deployment.settledToHead();
    expect(await orderKeys()).toContain(orphaned.orderKey);
    await chain.client.revert({ id: snapshot });
    await deployment.settledToHead();
    expect(await orderKeys()).not.toContain(orphaned.orderKey);
    await expectFreshRunAgrees();
  }, 120_000);
});

/** Rolled back and folded again, or the chain's own logs folded once: every row is the same. */
async function expectChainAgrees(): Promise<void> {
  expect((await orderKeys()).length).toBeGreaterThan(10);
  expect(await differencesFromChain(chain, deployment.pool)).toEqual([]);
  await expectSound();
}

/** Checks that a new deployment, with its own indexer, has the same ledger. */
async function expectFreshRunAgrees(): Promise<void> {
  const fresh = await TestDeployment.open(chain);
  try {
    await fresh.startIndexer();
    fresh.startWorker();
    await fresh.settledToHead();
    expect(differences(await dumpLedger(deployment.pool), await dumpLedger(fresh.pool))).toEqual(
      [],
    );
  } finally {
    await fresh.close();
  }
  await expectSound();
}

async function expectSound(): Promise<void> {
  const report = await audit(deployment.pool, contractReader(chainEnv(chain)));
  expect(report.violations).toEqual([]);
  expect(report.discrepancies).toBe(0);
}

async function orderKeys(): Promise<string[]> {
  const rows = await deployment.pool<{ order_key: string }[]>`select order_key from ledger.sale`;
  return rows.map((row) => row.order_key);
}

function orderKey(text: string): Hex {
  return keccak256(toHex(text));
}
