import { keccak256, parseEther, toHex } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { keeperChain } from '../../engine/chain/keeper.ts';
import { readHeads } from '../../engine/db/heads.ts';
import {
  type FinalizeOptions,
  finalizeDueSales,
  type KeeperResult,
} from '../../engine/keeper/finalize-due-sales.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { advance, buy, createCampaign, fund, giveTokens, join } from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  mined,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { waitFor } from '../support/wait-for.ts';

let chain: TestChain;
let deployment: TestDeployment;
let options: FinalizeOptions;

beforeAll(async () => {
  chain = await startTestChain();
  deployment = await TestDeployment.open(chain);
  await deployment.startIndexer();
  deployment.startWorker();
  const account = privateKeyToAccount(generatePrivateKey());
  await chain.client.setBalance({ address: account.address, value: parseEther('10') });
  options = {
    pool: deployment.pool,
    chain: keeperChain({ ...chainEnv(chain), account }),
    maxGas: 5_000_000n,
    maxFeePerGas: parseEther('1'),
  };
});

afterAll(async () => {
  await deployment?.close();
  await chain?.stop();
});

/** Sales by state, as the ledger has them. */
async function states(): Promise<Record<string, string>> {
  const rows = await deployment.pool<{ sale_id: string; state: string }[]>`
    select sale_id, state from ledger.sale order by sale_id`;
  return Object.fromEntries(rows.map((row) => [row.sale_id, row.state]));
}

/** Until what the keeper sent is in a block, for which it does not wait itself, and settled. */
async function settledAfter(result: KeeperResult): Promise<void> {
  if (result.outcome !== 'sent') throw new Error(`nothing was sent, but ${result.outcome}`);
  await mined(chain.client, result.hash);
  await deployment.settledToHead();
}

/** Past the indexer's finality, 30 blocks on this chain. */
async function bury(): Promise<void> {
  const head = Number(await chain.client.getBlockNumber());
  await chain.client.mine({ blocks: 65 });
  await deployment.settledToHead();
  // Finality moves only when the worker requests the newest block, which may have been before the last of these: on a
  // chain that rests it would not ask again.
  await waitFor(
    async () => {
      await chain.client.mine({ blocks: 1 });
      return ((await readHeads(deployment.pool))?.finalizedNumber ?? -1) >= head;
    },
    { what: 'the block to be final', interval: 500 },
  );
}

it('finalizes sales that are due and final, within gas limits, and none with a dispute', async () => {
  const merchant = accountAt(chain.accounts, 1);
  const buyer = accountAt(chain.accounts, 2);
  const token = await deployToken(chain);
  const campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 100_000_000n);
  const nodeId = await join(chain, campaignId, accountAt(chain.accounts, 3));
  await giveTokens(chain, token, buyer, 100_000_000n);
  for (let at = 0; at < 4; at += 1) await buy(chain, campaignId, buyer, { nodeId });
  const disputed = keccak256(toHex('disputed'));
  await buy(chain, campaignId, buyer, { nodeId, orderKey: disputed });
  await deployment.settledToHead();
  expect(await finalizeDueSales(options)).toEqual({ outcome: 'idle' });

  await deployment.pool`
    insert into commerce.dispute (id, campaign_id, buyer, order_key, merchant, hold_until, reason,
      requested_amount, refunded_before, opened_at, updated_at)
    values ('d1', ${String(campaignId)}, ${buyer.toLowerCase()}, ${disputed},
      ${merchant.toLowerCase()}, 0, 'other', 1, 0, now(), now())`;
  await advance(chain, 61);
  // The hold is over, and a reorg could still give these ids to other sales.
  await deployment.settledToHead();
  expect(await finalizeDueSales(options)).toEqual({ outcome: 'idle' });
  await bury();

  expect(await finalizeDueSales({ ...options, maxFeePerGas: 1n })).toMatchObject({
    outcome: 'too-expensive',
  });
  expect(await finalizeDueSales({ ...options, maxGas: 30_000n })).toEqual({ outcome: 'idle' });

  // Two concurrent calls while no block is mined: only one transaction is pending.
  await chain.client.setAutomine(false);
  const both = await Promise.all([finalizeDueSales(options), finalizeDueSales(options)]);
  expect(both.map(({ outcome }) => outcome).sort()).toEqual(['sent', 'waiting']);
  const sent = both.find((one) => one.outcome === 'sent');
  expect(sent).toMatchObject({ saleIds: ['1', '2', '3', '4'] });
  expect(await finalizeDueSales(options)).toEqual({ outcome: 'waiting' });
  await chain.client.setAutomine(true);
  await chain.client.mine({ blocks: 1 });
  if (sent?.outcome === 'sent') await mined(chain.client, sent.hash);

  // Mined, and perhaps not settled yet: the contract itself is asked, and nothing is sent twice.
  expect(await finalizeDueSales(options)).toEqual({ outcome: 'idle' });
  await deployment.settledToHead();
  expect(await states()).toEqual({
    ...{ 1: 'finalized', 2: 'finalized', 3: 'finalized', 4: 'finalized' },
    5: 'pending',
  });

  await deployment.pool`
    update commerce.dispute set answer = 'declined', decline_reason = 'It was delivered.'`;
  const afterwards = await finalizeDueSales(options);
  expect(afterwards).toMatchObject({ outcome: 'sent', saleIds: ['5'] });
  await settledAfter(afterwards);
  expect(await states()).toMatchObject({ 5: 'finalized' });
  const reader = contractReader(chainEnv(chain));
  expect((await audit(deployment.pool, reader)).violations).toEqual([]);
}, 120_000);

it('finalizes as many sales as fit under the gas limit, and the others in the next round', async () => {
  const merchant = accountAt(chain.accounts, 5);
  const buyer = accountAt(chain.accounts, 6);
  const token = await deployToken(chain);
  const campaignId = await createCampaign(chain, merchant, token);
  await fund(chain, { id: campaignId, token }, merchant, 100_000_000n);
  await giveTokens(chain, token, buyer, 100_000_000n);
  for (let at = 0; at < 4; at += 1) await buy(chain, campaignId, buyer);
  await advance(chain, 61);
  await bury();

  const all = await options.chain.gasOf(['6', '7', '8', '9']);
  // A sale that a reorg took away is skipped by the contract, and holds up no other in the keeper.
  expect(await options.chain.gasOf(['6', '999'])).not.toBeNull();
  const campaign = campaignId.toString();
  const sales = ['999', '6'].map((saleId) => ({ saleId, campaignId: campaign }));
  expect(await options.chain.stillPending(sales)).toMatchObject([{ saleId: '6' }]);
  if (all === null) throw new Error('finalizing all reverts');
  const first = await finalizeDueSales({ ...options, maxGas: all - 1n });
  expect(first).toMatchObject({ outcome: 'sent', saleIds: ['6', '7'] });
  await settledAfter(first);
  const second = await finalizeDueSales(options);
  expect(second).toMatchObject({ outcome: 'sent', saleIds: ['8', '9'] });
  await settledAfter(second);
  expect(Object.values(await states())).toEqual(Array(9).fill('finalized'));
}, 120_000);
