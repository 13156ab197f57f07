import type { Address } from 'viem';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Indexer } from '../../engine/cli/stack/indexer.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { readIndexerHead } from '../../engine/db/indexer/head.ts';
import { buy, createCampaign, fund, giveTokens, send, termsOf } from '../support/actions.ts';
import { accountAt, deployToken, mined, startTestChain, type TestChain } from '../support/chain.ts';
import { type CountingRpc, startCountingRpc } from '../support/counting-rpc.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { waitFor } from '../support/wait-for.ts';

const POLL = 'eth_getBlockByNumber latest';

let database: TestDatabase;
let chain: TestChain;
let rpc: CountingRpc;
let indexer: Indexer;
let sql: Pool;
let token: Address;
let merchant: Address;
let buyer: Address;
let campaignId: bigint;
const states: unknown[] = [];

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  sql = openPool(database.url);
  token = await deployToken(chain);
  merchant = accountAt(chain.accounts, 1);
  buyer = accountAt(chain.accounts, 2);
  campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 10n ** 18n);
  await giveTokens(chain, token, buyer, 10n ** 18n);
  rpc = await startCountingRpc(chain.anvil.url);
  indexer = await startTestIndexer(chain, database.url, {
    rpcUrls: [rpc.url],
    onRpcState: (change) => states.push(change),
  });
  await indexer.ready();
});

afterAll(async () => {
  await indexer?.stop();
  await rpc?.stop();
  await sql?.end();
  await chain?.stop();
  await database?.drop();
});

beforeEach(async () => {
  await indexed();
  rpc.reset();
});

/** Waits until the indexer is at the head with the chain's own events. */
async function indexed(): Promise<void> {
  const head = Number(await chain.client.getBlockNumber());
  await waitFor(async () => (await readIndexerHead(sql, indexer.schema)).blockNumber === head, {
    what: `the indexer to reach block ${head}`,
  });
  expect(await indexedFacts(sql, indexer.schema)).toEqual(await factsOfChain(chain));
}

/** Lets the chain go on without an event, as one with blocks many times as fast as the polls. */
async function mineQuiet(blocks: number): Promise<void> {
  await chain.client.mine({ blocks });
}

/** Calls other than the polls themselves, which come by the clock. */
function callsBetweenPolls(): number {
  const { calls, byMethod } = rpc.counts();
  return calls - (byMethod.get(POLL) ?? 0);
}

it('requests less than a third of the blocks without an event, and reaches the head', async () => {
  for (let i = 0; i < 3; i += 1) {
    await mineQuiet(200);
    await indexed();
  }
  expect(callsBetweenPolls()).toBeLessThan(200);
  expect(rpc.counts().byMethod.get('eth_getProof')).toBeGreaterThanOrEqual(3);
});

it('requests nothing but the polls if they see each block, with a transaction or without', async () => {
  for (let i = 0; i < 10; i += 1) {
    await mineQuiet(1);
    await indexed();
    const transfer = { account: buyer, to: merchant, value: 1n } as const;
    await mined(chain.client, await chain.client.sendTransaction(transfer));
    await indexed();
  }
  // Of a block with transactions and no log, the bloom of zeros proves nothing.
  const { byMethod } = rpc.counts();
  expect(byMethod.get('eth_getLogs')).toBe(10);
  expect(callsBetweenPolls()).toBe(10);
});

it('says once what its RPC does, until that changes', () => {
  expect(states).toEqual([{ place: 1, state: 'ok', until: null }]);
});

it('goes on with what is final to it, although it has not requested every block', async () => {
  const before = (await readIndexerHead(sql, indexer.schema)).finalizedNumber ?? 0;
  for (let i = 0; i < 10; i += 1) {
    await mineQuiet(13);
    await indexed();
  }
  const { blockNumber, finalizedNumber } = await readIndexerHead(sql, indexer.schema);
  expect(finalizedNumber).toBeGreaterThan(before);
  expect(finalizedNumber).toBeLessThanOrEqual((blockNumber ?? 0) - 30);
});

it('indexes a sale in the midst of many blocks without an event', async () => {
  await mineQuiet(12);
  await buy(chain, campaignId, buyer, {});
  await mineQuiet(12);
  await indexed();
});

it('indexes an event that changes nothing in the contract’s storage', async () => {
  await send(chain, merchant, 'allowDistributor', [campaignId, buyer, true]);
  await indexed();
  await mineQuiet(12);
  await send(chain, merchant, 'allowDistributor', [campaignId, buyer, true]);
  await mineQuiet(12);
  await indexed();
});

it('follows a reorg that puts a sale into blocks which it had left out, and one that takes it away', async () => {
  await mineQuiet(25);
  await indexed();
  const place = {
    campaignId,
    termsHash: await termsOf(chain, campaignId),
    nodeId: 0n,
    nodeOwner: '0x0000000000000000000000000000000000000000',
  } as const;
  const sale = purchase(chain, { ...place, buyer, orderKey: `0x${'7'.repeat(64)}` });
  await reorg(chain, 12, [[sale, 5]]);
  await mineQuiet(1);
  await indexed();
  expect((await factsOfChain(chain)).at(-1)?.name).toBe('SaleRecorded');
  await mineQuiet(20);
  await indexed();
  await reorg(chain, 29, []);
  await mineQuiet(8);
  await indexed();
  expect((await factsOfChain(chain)).at(-1)?.name).not.toBe('SaleRecorded');
});
