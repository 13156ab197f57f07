import { type Address, type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Indexer } from '../../engine/cli/stack/indexer.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { buy, createCampaign, fund, giveTokens, join, termsOf } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type FactRow, factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { type Place, purchase, type Request, reorg } from '../support/reorg.ts';
import { waitFor } from '../support/wait-for.ts';

let database: TestDatabase;
let chain: TestChain;
let indexer: Indexer;
let sql: Pool;
let campaignId: bigint;
let nodeId: bigint;
let place: Place;
let buyer: Address;

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  sql = openPool(database.url);
  buyer = accountAt(chain.accounts, 2);
  const merchant = accountAt(chain.accounts, 1);
  // Its name goes through the backfill, which writes by COPY.
  const token = await deployToken(chain, { name: 'Nul\0', symbol: 'N\\\t\n' });
  campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 10n ** 18n);
  await giveTokens(chain, token, buyer, 10n ** 18n);
  nodeId = await join(chain, campaignId, merchant);
  const termsHash = await termsOf(chain, campaignId);
  place = { campaignId, termsHash, nodeId, nodeOwner: merchant };
  for (let i = 0; i < 5; i++) await buy(chain, campaignId, buyer, { nodeId });
  await chain.client.mine({ blocks: 40 });
  for (let i = 0; i < 5; i++) await buy(chain, campaignId, buyer, { nodeId });
  indexer = await startTestIndexer(chain, database.url);
  await indexer.ready();
});

afterAll(async () => {
  await indexer?.stop();
  await sql?.end();
  await chain?.stop();
  await database?.drop();
});

/** The table as it is when it has become what the chain says: U+0000 aside, which it cannot hold. */
async function tableEqualsChain(): Promise<FactRow[]> {
  const expected = (await factsOfChain(chain)).map(withoutNul);
  return waitFor(
    async () => {
      const rows = await indexedFacts(sql, indexer.schema);
      expect(rows).toEqual(expected);
      return rows;
    },
    { what: 'chain_event to equal the chain', timeout: 50_000, interval: 100 },
  );
}

function withoutNul(row: FactRow): FactRow {
  return JSON.parse(JSON.stringify(row).replaceAll('\\u0000', '\uFFFD')) as FactRow;
}

test('backfill and live blocks together equal the chain', async () => {
  const rows = await tableEqualsChain();
  expect(rows.filter((row) => row.name === 'SaleRecorded')).toHaveLength(10);
});

test.each([3, 20])(
  'a reorg of %i blocks with sales in them leaves what the chain says',
  async (depth) => {
    for (let i = 0; i < depth - 2; i++) await chain.client.mine({ blocks: 1 });
    const moved = await buy(chain, campaignId, buyer, {
      nodeId,
      orderKey: orderKey(`moved ${depth}`),
    });
    const dropped = await buy(chain, campaignId, buyer, { nodeId });
    const before = await tableEqualsChain();

    const again = purchaseOf(orderKey(`moved ${depth}`));
    const other = purchaseOf(orderKey(`other ${depth}`));
    // The same order in another block, a new one next to it, the other sale nowhere.
    await reorg(chain, depth, [
      [other, depth - 1],
      [again, depth - 1],
    ]);

    const after = await tableEqualsChain();
    expect(sales(before)).toContain(dropped.orderKey);
    expect(sales(after)).not.toContain(dropped.orderKey);
    expect(sales(after)).toEqual(
      expect.arrayContaining([moved.orderKey, orderKey(`other ${depth}`)]),
    );
    const saleOf = (rows: FactRow[]) => rows.find((row) => argsOf(row).orderKey === moved.orderKey);
    expect(saleOf(after)?.block_hash).not.toBe(saleOf(before)?.block_hash);
  },
);

test('after an orderly stop it continues with the events of the meantime', async () => {
  expect(await indexer.stop()).toEqual({ code: 0, signal: null });
  await buy(chain, campaignId, buyer, { nodeId });
  indexer = await startTestIndexer(chain, database.url);
  await indexer.ready();
  await tableEqualsChain();
});

test('after a kill it waits until its old lock expires, and continues with the events of the meantime', async () => {
  expect(await indexer.kill()).toEqual({ code: null, signal: 'SIGKILL' });
  await buy(chain, campaignId, buyer, { nodeId });
  indexer = await startTestIndexer(chain, database.url);
  await indexer.ready();
  await tableEqualsChain();
}, 120_000);

function purchaseOf(key: Hex): Request {
  return purchase(chain, { ...place, buyer, orderKey: key });
}

function orderKey(text: string): Hex {
  return keccak256(toHex(text));
}

function sales(rows: readonly FactRow[]): unknown[] {
  return rows.filter((row) => row.name === 'SaleRecorded').map((row) => argsOf(row).orderKey);
}

function argsOf(row: FactRow): Record<string, unknown> {
  return row.args as Record<string, unknown>;
}
