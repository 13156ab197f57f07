import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadHistory } from '../../src/history/load.ts';
import { readRanges } from '../../src/history/rpc.ts';
import { createCampaign } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { RpcRefusal, startTraitRpc } from '../support/rpc-traits/proxy.ts';

let chain: TestChain;
let database: TestDatabase;
let sql: Sql;

beforeAll(async () => {
  [chain, database] = await Promise.all([startTestChain(), createTestDatabase({ empty: true })]);
  await createCampaign(chain, accountAt(chain.accounts, 1), await deployToken(chain));
  sql = postgres(database.url, { onnotice: () => {} });
  await sql`create schema own`;
  await sql`
    create table own.chain_event (
      block_number numeric, block_timestamp numeric, transaction_index int, log_index int, campaign_id numeric,
      block_hash text, transaction_hash text, name text, args json,
      primary key (campaign_id, block_number, log_index))`;
  await sql`
    create table own._ponder_checkpoint (
      chain_name text primary key, chain_id bigint, safe_checkpoint text, latest_checkpoint text,
      finalized_checkpoint text)`;
});

afterAll(async () => {
  await sql.end();
  await database.drop();
  await chain.stop();
});

it('fails with the error of the server if a row cannot be stored, and loads all of it afterwards', async () => {
  const head = await chain.client.getBlock();
  const load = () =>
    loadHistory({
      connect: () => postgres(database.url, { max: 1 }),
      schema: 'own',
      rpcUrls: [chain.anvil.url],
      requestsPerSecond: 0,
      contractAddress: chain.contract,
      chainId: chain.chainId,
      chainName: 'local',
      startBlock: 0,
      indexedBlock: null,
      finalizedBlock: Number(head.number),
      onProgress: () => {},
    });
  await sql`alter table own.chain_event add constraint refused check (log_index < 0)`;
  await expect(load()).rejects.toMatchObject({ code: '23514' });
  expect(await sql`select 1 from own.chain_event`).toHaveLength(0);
  await sql`alter table own.chain_event drop constraint refused`;
  expect((await load()).block).toBe(Number(head.number));
  const blocks = await sql<{ block_hash: string }[]>`select block_hash from own.chain_event`;
  expect(blocks.length).toBeGreaterThan(0);
});

it('requests nothing if there is no block to load', async () => {
  const rpc = await startTraitRpc(chain.anvil.url);
  let requests = 0;
  rpc.lie = (result) => {
    requests += 1;
    return result;
  };
  const options = { rpcUrls: [rpc.url], requestsPerSecond: 0, contractAddress: chain.contract };
  const { number } = await chain.client.getBlock();
  const ranges = [];
  for await (const range of readRanges(options, Number(number) + 1, Number(number))) {
    ranges.push(range);
  }
  // A request that nothing waits for would have been answered by now.
  for await (const range of readRanges(options, 0, 0)) ranges.push(range);
  await rpc.stop();
  expect(ranges).toHaveLength(1);
  expect(requests).toBe(2);
});

it('asks for less after failures, and for more again after many answers', async () => {
  await chain.client.mine({ blocks: 300 });
  const rpc = await startTraitRpc(chain.anvil.url);
  const sizes: number[] = [];
  let failures = 4;
  rpc.lie = (result, { method, params }) => {
    if (method !== 'eth_getLogs') return result;
    failures -= 1;
    if (failures >= 0) throw new RpcRefusal('block range is too wide', -32_000);
    const [{ fromBlock, toBlock }] = params as [{ fromBlock: string; toBlock: string }];
    sizes.push(Number(toBlock) - Number(fromBlock) + 1);
    return result;
  };
  const options = { rpcUrls: [rpc.url], requestsPerSecond: 0, contractAddress: chain.contract };
  let last = 0n;
  for await (const { to } of readRanges(options, 0, 299)) last = to.number;
  await rpc.stop();
  expect(last).toBe(299n);
  // Half of the first 32, four times.
  expect(sizes.slice(0, 33)).toEqual([...Array(32).fill(2), 4]);
});
