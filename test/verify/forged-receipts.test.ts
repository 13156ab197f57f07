import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { advance, refund, send } from '../support/actions.ts';
import { accountAt } from '../support/chain.ts';
import { batchingClient } from './clients.ts';
import { forgeries, type Whole } from './forgeries.ts';
import { receiptsOf, wholeReceipt } from './receipt.ts';
import {
  grow,
  open,
  playSales,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
});
afterAll(() => scene?.chain.stop());

describe('a receipt of a lying service', () => {
  it.each(forgeries)('fails if it changes %s', async (_, forge) => {
    const good = wholeReceipt(receiptFor(sales.attested));
    expect((await verify(sales.attested, good)).verdict).toBe('pass');
    const fresh = wholeReceipt(receiptFor(sales.thirdParty));
    expect((await verify(sales.thirdParty, fresh)).verdict).toBe('pass');
    expect((await verify(sales.thirdParty, forge(fresh))).verdict).toBe('fail');
  });

  it('fails in every check that a lie is about, and keeps the token of the chain', async () => {
    const good = wholeReceipt(receiptFor(sales.thirdParty));
    const lie = forgeries.reduce<Whole>((receipt, [, forge]) => forge(receipt) as Whole, good);
    const { verdict, checks, facts } = await verify(sales.thirdParty, lie);
    expect(verdict).toBe('fail');
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    expect(failed).toEqual([
      'transaction',
      'sale',
      'attribution',
      'campaign',
      'split',
      'state',
      'rewards',
    ]);
    // What people read is written with the token of the proven campaign.
    expect(facts?.token).toEqual({ ...good.token });
  });

  it.each(['merchant.name', 'product', 'finality', 'refundPolicy'])(
    'names %s as not compared with the chain',
    async (name) => {
      const { notCompared } = await verify(sales.attested, receiptFor(sales.attested));
      const named = notCompared.filter(({ field }) => `${field}.`.startsWith(`${name}.`));
      expect(named.length).toBeGreaterThan(0);
      for (const { reason } of named) expect(reason).toMatch(/^[A-Z].*\.$/);
    },
  );
});

describe('the past, served as the present', () => {
  it('calls the receipt outdated after a refund, whatever block the service names', async () => {
    const campaignId = await open(scene, {});
    const [nodeId] = await grow(scene, campaignId, 1);
    const saleId = await sell(scene, campaignId, nodeId);
    const before = (await receiptsOf(scene.chain))(saleId);
    const atBlock = await scene.chain.client.getBlockNumber();
    expect((await verify(saleId, before, atBlock)).verdict).toBe('pass');
    await refund(scene.chain, scene.merchant, saleId, 400_000n);
    const { verdict, block, newestBlock, checks } = await verify(saleId, before, atBlock);
    expect(verdict).toBe('outdated');
    expect(block?.number).toBe(`${atBlock}`);
    expect(newestBlock?.number).toBe(`${await scene.chain.client.getBlockNumber()}`);
    expect(checks.find(({ name }) => name === 'age')).toMatchObject({
      status: 'fail',
      evidence: { later: [{ name: 'RewardReleased' }, { name: 'SaleRefunded' }] },
    });
  });

  it('calls the receipt outdated after a claim of its reward, and not after a claim of another', async () => {
    const campaignId = await open(scene, {});
    const nodes = await grow(scene, campaignId, 2);
    const saleId = await sell(scene, campaignId, nodes[0]);
    await advance(scene.chain, 61);
    await send(scene.chain, scene.attester, 'finalize', [[saleId]]);
    const before = (await receiptsOf(scene.chain))(saleId);
    const atBlock = await scene.chain.client.getBlockNumber();
    const other = await sell(scene, campaignId, nodes[1]);
    await advance(scene.chain, 61);
    await send(scene.chain, scene.attester, 'finalize', [[other]]);
    await send(scene.chain, accountAt(scene.chain.accounts, 5), 'claimRewards', [[campaignId]]);
    expect((await verify(saleId, before, atBlock)).verdict).toBe('pass');
    await send(scene.chain, accountAt(scene.chain.accounts, 4), 'claimRewards', [[campaignId]]);
    const { verdict, checks } = await verify(saleId, before, atBlock);
    expect(verdict).toBe('outdated');
    expect(checks.find(({ name }) => name === 'age')?.message).toContain('RewardsClaimed in block');
  });
});

describe('a chain that the reader did not mean', () => {
  it('checks nothing on an RPC of another chain than the reader named', async () => {
    const { client } = batchingClient(scene.chain.anvil.url);
    const served = receiptFor(sales.attested);
    const contractAddress = scene.chain.contract;
    const about = { client, contractAddress, saleId: served.saleId, served };
    expect((await verifySale({ ...about, chainId: 31_337 })).verdict).toBe('pass');
    const { verdict, reason } = await verifySale({ ...about, chainId: 1 });
    expect(verdict).toBe('unavailable');
    expect(reason).toBe('The RPC is of chain 31337, not of chain 1.');
  });
});

function verify(saleId: bigint, served: object, atBlock?: bigint) {
  const { client } = batchingClient(scene.chain.anvil.url);
  return verifySale({
    client,
    contractAddress: scene.chain.contract,
    saleId: saleId.toString(),
    served: served as ReceiptFields,
    fromBlock: scene.chain.startBlock,
    atBlock,
  });
}
