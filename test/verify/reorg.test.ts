import { numberToHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { advance, buy, refund } from '../support/actions.ts';
import { batchingClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { grow, open, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let campaignId: bigint;
let nodeId: bigint;

beforeAll(async () => {
  scene = await startVerifyFixture();
  campaignId = await open(scene, {});
  nodeId = (await grow(scene, campaignId, 3)).at(-1) ?? 0n;
});
afterAll(() => scene?.chain.stop());

let orders = 0;

/** An order of one buyer; repeated identically after the reorg. */
function order() {
  orders += 1;
  return { nodeId, orderKey: numberToHex(orders, { size: 32 }) };
}

/** Sells, serves a receipt, and takes the sale off the chain. */
async function sellAndUndo(ordered = order()): Promise<ReceiptFields> {
  const { client } = scene.chain;
  const snapshot = await client.snapshot();
  const { saleId } = await buy(scene.chain, campaignId, scene.buyer, ordered);
  const served = (await receiptsOf(scene.chain))(saleId);
  expect((await verify(served)).verdict).toBe('pass');
  await client.revert({ id: snapshot });
  return served;
}

describe('a sale that a reorg took away', () => {
  it('fails a sale that a reorg removed from the chain', async () => {
    const served = await sellAndUndo();
    await scene.chain.client.mine({ blocks: 3 });
    const { checks } = await verify(served);
    expect(checks.filter(({ status }) => status === 'fail').map(({ name }) => name)).toEqual([
      'sale',
    ]);
    expect(checks.filter(({ status }) => status === 'pass')).toEqual([]);
  });

  it('fails a sale that a reorg moved to another block', async () => {
    const ordered = order();
    const served = await sellAndUndo(ordered);
    await advance(scene.chain, 10);
    const { saleId } = await buy(scene.chain, campaignId, scene.buyer, ordered);
    expect(saleId.toString()).toBe(served.saleId);
    const { checks } = await verify(served);
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    // The hold began with the other block.
    expect(failed).toEqual(['transaction', 'transitions', 'state']);
    const fresh = (await receiptsOf(scene.chain))(saleId);
    expect((await verify(fresh)).verdict).toBe('pass');
  });

  it('fails a sale whose id a reorg gave to another sale', async () => {
    const served = await sellAndUndo();
    await buy(scene.chain, campaignId, scene.merchant, order());
    const { checks } = await verify(served);
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    expect(failed).toContain('sale');
    expect(failed).toContain('transaction');
  });
});

describe('a receipt that is behind the chain', () => {
  it('calls an old receipt outdated as of its own block, and fails it as of the newest', async () => {
    const { client } = scene.chain;
    const { saleId } = await buy(scene.chain, campaignId, scene.buyer, order());
    const served = (await receiptsOf(scene.chain))(saleId);
    const settled = await client.getBlock();
    await refund(scene.chain, scene.merchant, saleId, 5n);
    const result = await verify(served, settled.number);
    expect(result.verdict).toBe('outdated');
    const { message } = result.checks.find(({ name }) => name === 'age') ?? {};
    expect(message).toContain(`This receipt is old: it is as of block ${settled.number}, and `);
    expect(message).toMatch(/SaleRefunded in block \d+ followed \(.*\); the RPC’s newest block is/);
    expect(result.block).toEqual({
      number: settled.number.toString(),
      hash: settled.hash,
      timestamp: new Date(Number(settled.timestamp) * 1_000).toISOString(),
    });
    const { checks } = await verify(served);
    const failed = checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
    expect(failed).toEqual(['transitions', 'state', 'rewards']);
  });

  it('returns unavailable for a block that the chain has not reached', async () => {
    const { saleId } = await buy(scene.chain, campaignId, scene.buyer, order());
    const served = (await receiptsOf(scene.chain))(saleId);
    const result = await verify(served, 9_999n);
    expect(result).toMatchObject({ verdict: 'unavailable', block: null });
    expect(result.reason).toMatch(
      /^The receipt is as of block 9999, and the RPC’s newest block is \d+ \(.*Z\): the RPC is behind/,
    );
  });
});

function verify(served: ReceiptFields, atBlock?: bigint) {
  const { client } = batchingClient(scene.chain.anvil.url);
  const { saleId } = served;
  return verifySale({ client, contractAddress: scene.chain.contract, saleId, served, atBlock });
}
