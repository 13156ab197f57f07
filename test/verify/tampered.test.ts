import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { type CheckName, checkNames, verifySale } from '../../engine/verify/index.ts';
import { rememberingClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { tamperings } from './tamper.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

/** The check that each part of a receipt is for. */
const checkOf: Readonly<Record<keyof ReceiptFields, CheckName>> = {
  chainId: 'sale',
  contractAddress: 'sale',
  saleId: 'sale',
  campaignId: 'sale',
  termsHash: 'campaign',
  buyer: 'sale',
  nodeId: 'sale',
  amount: 'sale',
  skuHash: 'sale',
  orderKey: 'sale',
  record: 'transaction',
  policy: 'policy',
  holdUntil: 'state',
  path: 'path',
  split: 'split',
  state: 'state',
  refundedTotal: 'state',
  transitions: 'transitions',
};

let scene: VerifyFixture;
let client: ReturnType<typeof rememberingClient>;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  client = rememberingClient(scene.chain.anvil.url);
  receiptFor = await receiptsOf(scene.chain);
});
afterAll(() => scene?.chain.stop());

describe('a receipt that lies', () => {
  it.each([
    ['claimed', 200],
    ['saleCapped', 100],
    ['reversed', 150],
    ['fullyRefunded', 150],
    ['direct', 60],
  ] as const)('fails only the check of the field it falsifies: %s', async (name, least) => {
    const lies = tamperings(receiptFor(sales[name]));
    expect(lies.length).toBeGreaterThan(least);
    for (const { what, receipt } of lies) {
      const part = what.split(/[.[]/)[0] as keyof ReceiptFields;
      expect(await failing(sales[name], receipt), `${what} = ${receipt}`).toEqual([checkOf[part]]);
    }
  });

  it('fails a receipt of another sale', async () => {
    const failed = await failing(sales.finalized, receiptFor(sales.claimed));
    expect(failed).toContain('sale');
    expect(failed).toContain('transaction');
  });

  it('fails every check of an empty receipt', async () => {
    for (const nothing of [{}, [], null, 'receipt', 7]) {
      expect(await failing(sales.finalized, nothing)).toEqual(checkNames);
    }
  });

  it('names the field, its value and the value on the chain', async () => {
    const receipt = { ...receiptFor(sales.direct), amount: '1000001' };
    const { checks, verdict } = await verify(sales.direct, receipt);
    expect(verdict).toBe('fail');
    expect(checks.find(({ name }) => name === 'sale')).toMatchObject({
      status: 'fail',
      message: 'The receipt has amount 1000001, the chain has 1000000.',
      evidence: { differences: [{ field: 'amount', served: '1000001', chain: '1000000' }] },
    });
  });

  it('accepts hex in any case, times without fractions, and additional fields', async () => {
    const good = receiptFor(sales.claimed);
    const upper = JSON.stringify(good)
      .replaceAll(/0x[0-9a-f]{40,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`)
      .replaceAll('.000Z', 'Z');
    const receipt = { ...JSON.parse(upper), product: { name: 'Tea' } };
    expect(await failing(sales.claimed, receipt)).toEqual([]);
  });

  it('refuses another case in text of the merchant', async () => {
    const good = receiptFor(sales.saleCapped);
    const policy = { ...good.policy, sharingRules: ['#ad', '0xff'] };
    expect(await failing(sales.saleCapped, { ...good, policy })).toEqual(['policy']);
  });

  it('refuses an additional argument of an event, except its campaign', async () => {
    const good = receiptFor(sales.direct);
    const withArgs = (more: object) => ({
      ...good,
      transitions: good.transitions.map((event) => ({
        ...event,
        args: { ...event.args, ...more },
      })),
    });
    expect(await failing(sales.direct, withArgs({ bonus: '5' }))).toEqual(['transitions']);
    expect(await failing(sales.direct, withArgs({ campaignId: '999' }))).toEqual(['transitions']);
    expect(await failing(sales.direct, withArgs({ campaignId: good.campaignId }))).toEqual([]);
  });
});

function verify(saleId: bigint, served: unknown) {
  return verifySale({
    client,
    contractAddress: scene.chain.contract,
    saleId: saleId.toString(),
    served: served as ReceiptFields,
    fromBlock: scene.chain.startBlock,
  });
}

/** The names of the checks that fail. All others pass. */
async function failing(saleId: bigint, served: unknown): Promise<string[]> {
  const { checks } = await verify(saleId, served);
  expect(checks.filter(({ status }) => status === 'unavailable')).toEqual([]);
  return checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
}
