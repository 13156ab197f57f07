import { type Hex, keccak256, toHex, zeroAddress } from 'viem';
import { afterEach, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { termsOf } from '../support/actions.ts';
import { accountAt, chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { factsOfChain } from '../support/facts.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { Traffic } from '../support/traffic.ts';

/** More than the indexer's finality, which is 30 blocks on this chain. */
const OUTAGE_BLOCKS = 100;

const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close();
});

/** A deployment over a chain with traffic, settled to its head, some of it final. */
async function settledDeployment(seed: number): Promise<{
  readonly chain: TestChain;
  readonly traffic: Traffic;
  readonly deployment: TestDeployment;
}> {
  const chain = await startTestChain();
  open.push({ close: () => chain.stop() });
  const traffic = await Traffic.start(chain, seed);
  await traffic.play(20);
  await chain.client.mine({ blocks: 65 });
  const deployment = await TestDeployment.open(chain);
  open.push(deployment);
  await deployment.startIndexer();
  deployment.startWorker();
  await traffic.play(10);
  await deployment.settledToHead();
  return { chain, traffic, deployment };
}

/** Two sales of two campaigns, a block each, in one order or the other: their numbers swap. */
async function replaceBySales(
  { chain, traffic }: { chain: TestChain; traffic: Traffic },
  depth: number,
  order: readonly [number, number],
): Promise<void> {
  const buyer = accountAt(chain.accounts, 4);
  const sales = await Promise.all(
    traffic.campaignIds.slice(0, 2).map(async (campaignId, i) => {
      const place = { campaignId, termsHash: await termsOf(chain, campaignId), nodeId: 0n };
      const order = { nodeOwner: zeroAddress, buyer, orderKey: orderKey(`outage ${i}`) };
      return purchase(chain, { ...place, ...order });
    }),
  );
  const requests = order.map((at, block) => {
    const sale = sales[at];
    if (sale === undefined) throw new Error('the traffic has two campaigns');
    return [sale, block] as [typeof sale, number];
  });
  await reorg(chain, depth, requests);
}

async function expectLikeFreshRun({
  chain,
  deployment,
}: {
  chain: TestChain;
  deployment: TestDeployment;
}): Promise<void> {
  await deployment.settledToHead(300_000);
  const stopped = await deployment.pool`
    select campaign_id, stopped_reason from ledger.cursor where stopped_at is not null`;
  expect(stopped).toEqual([]);
  const sales = (await factsOfChain(chain)).filter(({ name }) => name === 'SaleRecorded');
  const rows = await deployment.pool<{ sale_id: string; campaign_id: string }[]>`
    select sale_id, campaign_id from ledger.sale order by sale_id`;
  expect(rows.map((row) => [row.sale_id, row.campaign_id])).toEqual(
    sales.map(({ args, campaign_id }) => [(args as { saleId: string }).saleId, campaign_id]),
  );
  const fresh = await TestDeployment.open(chain);
  open.push(fresh);
  await fresh.startIndexer();
  fresh.startWorker();
  await fresh.settledToHead();
  // Cursors hold each campaign's digest.
  expect(differences(await dumpLedger(deployment.pool), await dumpLedger(fresh.pool))).toEqual([]);
  const report = await audit(deployment.pool, contractReader(chainEnv(chain)));
  expect(report.violations).toEqual([]);
}

function orderKey(text: string): Hex {
  return keccak256(toHex(text));
}

it.each([
  { how: 'an orderly stop', seed: 51, end: (one: TestDeployment) => one.stopParts() },
  {
    how: 'a kill -9 of indexer and worker',
    seed: 52,
    end: (one: TestDeployment) => one.killParts(),
  },
])(
  'a reorg during an outage longer than finality is rolled back after $how',
  async ({ seed, end }) => {
    const world = await settledDeployment(seed);
    const { chain, deployment } = world;
    await chain.client.mine({ blocks: 2 });
    await replaceBySales(world, 2, [0, 1]);
    await deployment.settledToHead();
    const before = await readHeads(deployment.pool);
    await end(deployment);

    await replaceBySales(world, 2, [1, 0]);
    await chain.client.mine({ blocks: OUTAGE_BLOCKS });
    // Nothing of the replaced blocks may become final: not even while the parts come back.
    expect(before?.finalizedNumber).toBeLessThan((before?.settled?.number ?? 0) - 2);
    await deployment.startIndexer();
    deployment.startWorker();
    await expectLikeFreshRun(world);
  },
  480_000,
);
