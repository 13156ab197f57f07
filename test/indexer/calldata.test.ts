import { type Address, concat, type Hex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Indexer } from '../../engine/cli/stack/indexer.ts';
import { attachedCodes, withAttachedCodes } from '../../engine/core/calldata-suffix.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { buy, createCampaign, fund, giveTokens } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { buyThroughForwarder } from '../support/forwarder.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { type RpcCall, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { waitFor } from '../support/wait-for.ts';

const SHOP = withAttachedCodes('0x', ['shop', 'wallet']);

let database: TestDatabase;
let chain: TestChain;
let rpc: TraitRpc;
let indexer: Indexer;
let sql: Pool;
let token: Address;
let campaignId: bigint;
let before: bigint;
const asked: string[] = [];

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  sql = openPool(database.url);
  token = await deployToken(chain);
  const [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
  campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 10n ** 18n);
  await giveTokens(chain, token, buyer, 10n ** 18n);
  before = (await buy(chain, campaignId, buyer, { dataSuffix: SHOP })).saleId;
  // The indexer takes blocks that are this deep for final, and loads them in bulk.
  await chain.client.mine({ blocks: 200 });
  rpc = await startTraitRpc(chain.anvil.url);
  rpc.before = async ({ method }: RpcCall) => void asked.push(method);
  indexer = await startTestIndexer(chain, database.url, { rpcUrls: [rpc.url] });
  await indexer.ready();
});

afterAll(async () => {
  await indexer?.stop();
  await rpc?.stop();
  await sql?.end();
  await chain?.stop();
  await database?.drop();
});

function sell(dataSuffix: Hex): Promise<bigint> {
  return buy(chain, campaignId, accountAt(chain.accounts, 2), { dataSuffix }).then(
    ({ saleId }) => saleId,
  );
}

/** What is stored of the calldata of a sale, once the indexer has it. */
function calldataEnd(saleId: bigint): Promise<Hex | null> {
  return waitFor(
    async () => {
      const rows = await sql<{ calldata_end: Hex | null }[]>`
        select calldata_end from ${sql(indexer.schema)}.chain_event
        where name = 'SaleRecorded' and args ->> 'saleId' = ${String(saleId)}`;
      return rows[0] && { found: rows[0].calldata_end };
    },
    { what: `sale ${saleId} in chain_event` },
  ).then(({ found }) => found);
}

it('stores the end of the calldata of a sale to which codes are attached', async () => {
  const end = await calldataEnd(await sell(SHOP));
  expect(attachedCodes(end ?? '0x').map(({ code }) => code)).toEqual(['shop', 'wallet']);
});

it('stores that a sale has no codes', async () => {
  expect(await calldataEnd(await sell('0x'))).toBe('0x');
  expect(await calldataEnd(await sell('0x1234'))).toBe('0x');
});

it('stores no more than 512 bytes of a longer suffix, in which settlement finds no codes', async () => {
  const end = await calldataEnd(await sell(concat([`0x${'61'.repeat(2_000)}`, SHOP])));
  expect(end).toHaveLength(2 + 2 * 512);
  expect(attachedCodes(end ?? '0x')).toHaveLength(2);
  const malformed: Hex = `0x${'ff'.repeat(600)}ff02${'8021'.repeat(8)}`;
  const refused = await calldataEnd(await sell(malformed));
  expect(refused).toHaveLength(2 + 2 * 512);
  expect(attachedCodes(refused ?? '0x')).toEqual([]);
});

it('stores that the codes of a sale through another contract or in finalized history are not known', async () => {
  const through = { token, campaignId };
  expect(
    await calldataEnd(await buyThroughForwarder(chain, through, { dataSuffix: SHOP })),
  ).toBeNull();
  expect(await calldataEnd(before)).toBeNull();
});

it('reads the calldata with the blocks that it reads anyway: it requests no transaction', async () => {
  expect(asked).toContain('eth_getLogs');
  expect(asked.filter((method) => method.startsWith('eth_getTransaction'))).toEqual([]);
  const others = await sql`
    select 1 from ${sql(indexer.schema)}.chain_event
    where name <> 'SaleRecorded' and calldata_end is not null`;
  expect(others).toHaveLength(0);
});
