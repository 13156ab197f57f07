import { readFile } from 'node:fs/promises';
import { type Address, type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Indexer, IndexerEndedError, isPermanent } from '../../engine/cli/stack/indexer.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import {
  advance,
  buy,
  createCampaign,
  FAR_FUTURE,
  fund,
  giveTokens,
  join,
  refund,
  send,
  termsOf,
} from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { eventId, factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { type RpcCall, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { waitFor } from '../support/wait-for.ts';

/** Far below the 64 s for which Ponder repeats a request for one replaced block. */
const CATCH_UP_MS = 20_000;

let database: TestDatabase;
let chain: TestChain;
let rpc: TraitRpc;
let indexer: Indexer;
let sql: Pool;
let token: Address;

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  sql = openPool(database.url);
  token = await deployToken(chain);
  rpc = await startTraitRpc(chain.anvil.url);
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

/** Waits until the table is what the chain says, and answers its rows. */
async function settledFacts() {
  const expected = await factsOfChain(chain);
  const rows = await waitFor(
    async () => {
      const found = await indexedFacts(sql, indexer.schema);
      return found.length >= expected.length && found;
    },
    { what: `${expected.length} rows of chain_event` },
  );
  expect(rows).toEqual(expected);
  return rows;
}

describe('every event is a row', () => {
  test('writes rows of all kinds of sales that equal the chain’s own logs', async () => {
    const [merchant, buyer, parent, seller] = [1, 2, 3, 4].map((i) => accountAt(chain.accounts, i));
    if (!merchant || !buyer || !parent || !seller) throw new Error('The chain has 10 accounts.');
    const id = await createCampaign(chain, merchant, token, {
      policy: { regions: ['DE', 'FR'], sharingRules: ['be kind'] },
    });
    await fund(chain, { id, token }, merchant, 10n ** 18n);
    await giveTokens(chain, token, buyer, 10n ** 18n);
    const root = await join(chain, id, parent);
    const nodeId = await join(chain, id, seller, root);
    const finalized = await buy(chain, id, buyer, { nodeId });
    const returned = await buy(chain, id, buyer, { nodeId });
    await refund(chain, merchant, returned.saleId, 400_000n);
    await refund(chain, merchant, returned.saleId, 600_000n);
    await advance(chain, 61);
    await send(chain, buyer, 'finalize', [[finalized.saleId, returned.saleId]]);
    await send(chain, seller, 'claimRewards', [[id]]);
    await send(chain, merchant, 'claimProceeds', [id]);
    await send(chain, merchant, 'pause', [id]);
    await send(chain, merchant, 'resume', [id]);
    await send(chain, merchant, 'end', [id]);

    const rows = await settledFacts();
    expect(new Set(rows.map((row) => row.name))).toEqual(
      new Set([
        ...['CampaignCreated', 'PolicyScheduled', 'CampaignFunded', 'NodeJoined', 'SaleRecorded'],
        ...['RewardReleased', 'SaleRefunded', 'RewardVested', 'SaleFinalized', 'RewardsClaimed'],
        ...['ProceedsClaimed', 'CampaignPaused', 'CampaignResumed', 'CampaignEnded'],
      ]),
    );
    expect(rows.map(eventId)).toEqual(rows.map(eventId).sort());
  });

  test('encodes arguments as documented', async () => {
    const rows = await settledFacts();
    const scheduled = rows.find((row) => row.name === 'PolicyScheduled');
    expect(scheduled?.args).toMatchObject({
      campaignId: '1',
      version: 1,
      effectiveAt: scheduled?.block_timestamp,
      policy: {
        rewardToken: token.toLowerCase(),
        commissionBps: 1_000,
        perSaleCap: String(2n ** 256n - 1n),
        maxRewardedAncestors: 3,
        weightsBps: [5_000, 3_000, 2_000],
        shortPathMode: 0,
        holdSeconds: 60,
        expiry: String(FAR_FUTURE),
        regions: ['DE', 'FR'],
        sharingRules: ['be kind'],
      },
    });
    const sale = rows.find((row) => row.name === 'SaleRecorded');
    expect(sale?.args).toMatchObject({
      saleId: '1',
      amount: '1000000',
      shares: ['62500', '37500'],
    });
  });
});

/** Holds back every request for a block's logs by its hash, until it is released. */
function holdLogs(): { readonly held: RpcCall[]; release(): void } {
  const held: RpcCall[] = [];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  rpc.before = async (call) => {
    const [filter] = call.params as [{ blockHash?: Hex } | undefined];
    if (call.method !== 'eth_getLogs' || filter?.blockHash === undefined) return;
    held.push(call);
    await released;
  };
  return {
    held,
    release: () => {
      rpc.before = () => undefined;
      release();
    },
  };
}

test.each([1, 4, 12])(
  'follows a reorg of %i blocks that the indexer is fetching without delay',
  async (depth) => {
    const [merchant, buyer] = [accountAt(chain.accounts, 1), accountAt(chain.accounts, 2)];
    const campaignId = await createCampaign(chain, merchant, token);
    await fund(chain, { id: campaignId, token }, merchant, 10n ** 18n);
    await giveTokens(chain, token, buyer, 10n ** 18n);
    const nodeId = await join(chain, campaignId, merchant);
    await indexedLikeChain();

    const logs = holdLogs();
    for (let i = 0; i < depth; i += 1) await buy(chain, campaignId, buyer, { nodeId });
    await waitFor(() => logs.held.length > 0, { what: 'the indexer to ask for logs by hash' });
    const termsHash = await termsOf(chain, campaignId);
    const place = { campaignId, termsHash, nodeId, nodeOwner: merchant };
    const orderKey = keccak256(toHex(`after a reorg of ${depth}`));
    await reorg(chain, depth, [[purchase(chain, { ...place, buyer, orderKey }), depth - 1]]);
    logs.release();
    await buy(chain, campaignId, buyer, { nodeId });
    await indexedLikeChain();
  },
  60_000,
);

async function indexedLikeChain(): Promise<void> {
  const expected = await factsOfChain(chain);
  await waitFor(
    async () => {
      expect(await indexedFacts(sql, indexer.schema)).toEqual(expected);
      return true;
    },
    { what: 'chain_event to equal the chain', timeout: CATCH_UP_MS, interval: 100 },
  );
}

test('indexes a token whose name contains U+0000', async () => {
  const merchant = accountAt(chain.accounts, 1);
  const strange = await deployToken(chain, { name: 'Nul\0 Dollar', symbol: '\0' });
  await createCampaign(chain, merchant, strange, { policy: { regions: ['\0', '\\u0000', '"'] } });
  const after = await createCampaign(chain, merchant, token);

  const rows = await waitFor(
    async () => {
      const found = await indexedFacts(sql, indexer.schema);
      return found.some((row) => row.campaign_id === String(after)) && found;
    },
    { what: 'the campaign after the strange one' },
  );
  const [created, scheduled] = rows.filter((row) => row.campaign_id === String(after - 1n));
  expect(created?.args).toMatchObject({ tokenName: 'Nul\uFFFD Dollar', tokenSymbol: '\uFFFD' });
  expect(scheduled?.args).toMatchObject({ policy: { regions: ['\uFFFD', '\\u0000', '"'] } });
});

test('stops a second build on the same schema permanently, with the reason', async () => {
  const other = await startTestIndexer(chain, database.url, {
    startBlock: Number(chain.startBlock) + 1,
    logFile: `${chain.dir}/other.log`,
  });
  const error = await other.ready().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(IndexerEndedError);
  expect(error).toMatchObject({
    retry: false,
    message: expect.stringContaining('was previously used by a different Ponder app'),
  });
  expect(isPermanent(await other.exited)).toBe(true);
});

test('writes the password of the database to no log', async () => {
  const { password } = new URL(database.url);
  for (const name of ['indexer.log', 'other.log']) {
    const log = await readFile(`${chain.dir}/${name}`, 'utf8');
    expect(log).toContain('Connected to database');
    expect(log).not.toContain(password);
  }
});
