import type { RpcLog } from 'viem';
import { toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decoderOf } from '../../engine/verify/chain/topics.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { strangeClient } from './clients.ts';
import { logsOfContract, lookalikeRpc, withArguments } from './lookalike.ts';
import { receiptsOf } from './receipt.ts';
import { messageOf, only, statuses } from './results.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;
let honest: readonly RpcLog[];

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
  honest = await logsOfContract(scene.chain.anvil.url, scene.chain.contract);
});
afterAll(() => scene?.chain.stop());

describe('a contract that only looks alike', () => {
  it('passes as long as it follows the rules', async () => {
    expect((await verify(sales.direct, honest)).verdict).toBe('pass');
    expect((await verify(sales.firstOfBlock, honest)).verdict).toBe('pass');
  });

  it('fails the campaign if it was created after the sale, in the same block', async () => {
    const isCreation = named('CampaignCreated', sales.firstOfBlock);
    const logs = honest.map((log) => (isCreation(log) ? { ...log, logIndex: toHex(999) } : log));
    const result = await verify(sales.firstOfBlock, logs.toSorted(byPlace));
    expect(result.verdict).toBe('fail');
    expect(messageOf(result, 'campaign')).toMatch(/has no CampaignCreated of .* before the sale/);
  });

  it('fails a sale that it recorded before, in a block that the receipt does not name', async () => {
    const [record] = honest.filter(named('SaleRecorded', sales.direct));
    const [first] = honest;
    if (record === undefined || first === undefined) throw new Error('There is no sale.');
    const { blockNumber, blockHash, transactionHash, transactionIndex } = first;
    const place = { blockNumber, blockHash, transactionHash, transactionIndex, logIndex: toHex(1) };
    const cheaper = withArguments({ ...record, ...place }, () => ({ amount: 1n }));
    const result = await verify(sales.direct, [cheaper, ...honest]);
    expect(statuses(result)).toEqual(only({ sale: 'fail' }));
    expect(messageOf(result, 'sale')).toMatch(
      /^A SaleRecorded of the sale is in block \d+, before its SaleRecorded in block \d+\.$/,
    );
  });

  it.each([
    ['no weights', []],
    ['weights of 0', [0, 0, 0, 0, 0]],
  ])('leaves the split open if its policy has %s', async (_, weightsBps) => {
    const isPolicy = named('PolicyScheduled', sales.fiveLevel);
    const logs = honest.map((log) =>
      isPolicy(log)
        ? withArguments(log, ({ policy }) => ({ policy: { ...Object(policy), weightsBps } }))
        : log,
    );
    const result = await verify(sales.fiveLevel, logs);
    expect(statuses(result)).toEqual(only({ policy: 'fail', split: 'unavailable' }));
    expect(messageOf(result, 'split')).toContain('Without the whole path and a weight of each');
  });

  it.each([
    ['was withdrawn', { perOrder: 0n, daily: 0n, expiry: 0n }, /whom the merchant did not allow/],
    ['ended before it', { expiry: 1n }, /^The permission of 0x\w+ ended at 1970-01-01T00:00:01/],
    ['is of less an order', { perOrder: 777_776n }, /may attest 777776 base units an order/],
    ['is of less a day', { daily: 777_776n }, /may attest 777776 base units a day/],
  ])('fails the campaign of an attested sale if the permission %s', async (_, limits, message) => {
    const allows = honest.filter(named('AttesterAllowed', sales.thirdParty));
    const changed = honest.map((log) =>
      log === allows.at(-1) ? withArguments(log, () => limits) : log,
    );
    const result = await verify(sales.thirdParty, changed);
    expect(statuses(result)).toEqual(only({ campaign: 'fail' }));
    expect(messageOf(result, 'campaign')).toMatch(message);
    const without = honest.filter((log) => !allows.includes(log));
    expect(statuses(await verify(sales.thirdParty, without))).toEqual(only({ campaign: 'fail' }));
  });

  it('fails the path if the buyer owns a rewarded node and the policy excludes that', async () => {
    const { buyer, path } = receiptFor(sales.fiveLevel);
    const third = path[2]?.nodeId;
    const changed = honest.map((log) =>
      named('NodeJoined', sales.fiveLevel)(log) && Number(log.topics[2]) === Number(third)
        ? withArguments(log, () => ({ owner: buyer }))
        : log,
    );
    const result = await verify(sales.fiveLevel, changed);
    expect(messageOf(result, 'path')).toContain(
      `The buyer owns node ${third}, which the sale rewards`,
    );
  });
});

function byPlace(a: RpcLog, b: RpcLog): number {
  const blocks = Number(a.blockNumber) - Number(b.blockNumber);
  return blocks === 0 ? Number(a.logIndex) - Number(b.logIndex) : blocks;
}

/** Logs of an event of the sale, or of its campaign. */
function named(name: string, saleId: bigint): (log: RpcLog) => boolean {
  const id = name.startsWith('Sale') ? saleId : receiptFor(saleId).campaignId;
  return ({ topics }) =>
    decoderOf(topics[0])?.item.name === name && Number(topics[1]) === Number(id);
}

/** Verifies the receipt of the real contract against a contract that emitted these logs. */
function verify(saleId: bigint, logs: readonly RpcLog[]) {
  const { anvil, contract } = scene.chain;
  const rpc = lookalikeRpc({ contract, saleId: `${saleId}`, logs });
  const client = strangeClient(anvil.url, rpc);
  const { record, ...served } = receiptFor(saleId);
  // The indexes of its logs have space between them.
  const logIndex = (record.logIndex + 1) * 16;
  const transitions = served.transitions.map((one) => ({
    ...one,
    logIndex: (one.logIndex + 1) * 16,
  }));
  return verifySale({
    ...{
      client,
      contractAddress: contract,
      saleId: `${saleId}`,
      fromBlock: scene.chain.startBlock,
    },
    served: { ...served, transitions, record: { ...record, logIndex } },
  });
}
