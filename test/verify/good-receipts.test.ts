import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkNames, type Verification, verifySale } from '../../engine/verify/index.ts';
import { batchingClient } from './clients.ts';
import { receiptsOf } from './receipt.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
});
afterAll(() => scene?.chain.stop());

const names = [
  'fiveLevel',
  'shortRenormalized',
  'direct',
  'partlyRefunded',
  'fullyRefunded',
  'finalized',
  'refundedAndFinalized',
  'claimed',
  'secondPolicy',
  'saleCapped',
  'liabilityCapped',
  'nothingLeft',
  'budgetCapped',
  'attested',
  'reversed',
  'reversedLater',
  'thirdParty',
  'firstOfBlock',
  'secondOfBlock',
] as const;

describe('verifySale', () => {
  it('covers every sale of the fixture', () => {
    expect([...names].sort()).toEqual(Object.keys(sales).sort());
  });

  it.each(names)('passes every check of a good receipt: %s', async (name) => {
    const { result } = await verify(sales[name], true);
    expect(result).toMatchObject({ chainId: 31_337, verdict: 'pass' });
    expect(result.checks.map((check) => [check.name, check.status, check.message])).toEqual(
      checkNames.map((check) => [check, 'pass', expect.stringMatching(/^[A-Z].*\.$/)]),
    );
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  it.each(names)('computes the same receipt from the chain alone: %s', async (name) => {
    const { result } = await verify(sales[name], false);
    expect(result.verdict).toBe('pass');
    expect(result.facts).toEqual(receiptFor(sales[name]));
  });

  it.each(names)('needs 2 round trips for a receipt as of a block: %s', async (name) => {
    const atBlock = await scene.chain.client.getBlockNumber();
    const { result, roundTrips } = await verify(sales[name], true, atBlock);
    expect(result.verdict).toBe('pass');
    expect(roundTrips).toBe(2);
  });

  it('needs another round trip for the newest block, and one for each unknown parent', async () => {
    expect((await verify(sales.fiveLevel, true)).roundTrips).toBe(3);
    expect((await verify(sales.direct, false)).roundTrips).toBe(3);
    expect((await verify(sales.claimed, false)).roundTrips).toBe(4);
    expect((await verify(sales.fiveLevel, false)).roundTrips).toBe(8);
  });
});

async function verify(
  saleId: bigint,
  withReceipt: boolean,
  atBlock?: bigint,
): Promise<{ result: Verification; roundTrips: number }> {
  const { client, roundTrips } = batchingClient(scene.chain.anvil.url);
  const result = await verifySale({
    client,
    contractAddress: scene.chain.contract,
    saleId: saleId.toString(),
    served: withReceipt ? receiptFor(saleId) : undefined,
    fromBlock: scene.chain.startBlock,
    atBlock,
  });
  return { result, roundTrips: roundTrips() };
}
