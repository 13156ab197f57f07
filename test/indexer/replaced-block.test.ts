import { type Hex, keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Indexer } from '../../engine/cli/stack/indexer.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { buy, createCampaign, fund, giveTokens, join, termsOf } from '../support/actions.ts';
import { accountAt, deployToken, startTestChain, type TestChain } from '../support/chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { factsOfChain, indexedFacts } from '../support/facts.ts';
import { startTestIndexer } from '../support/indexer.ts';
import { type LyingRpc, type RpcCall, startLyingRpc } from '../support/lying-rpc.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { waitFor } from '../support/wait-for.ts';

/** Far below the 64 s for which Ponder repeats a request for one replaced block. */
const CATCH_UP_MS = 20_000;

let database: TestDatabase;
let chain: TestChain;
let rpc: LyingRpc;
let indexer: Indexer;
let sql: Pool;

beforeAll(async () => {
  [database, chain] = await Promise.all([createTestDatabase(), startTestChain()]);
  sql = openPool(database.url);
  rpc = await startLyingRpc(chain.anvil.url);
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
    const token = await deployToken(chain);
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
