import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { fieldRows } from '../../engine/core/receipt-coverage.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { rememberingClient } from './clients.ts';
import { mutationsOf, shownAs } from './fuzz.ts';
import { receiptsOf, wholeReceipt } from './receipt.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

/** Changes to try: more with `VERIFY_FUZZ=100000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 1_500);
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);

let scene: VerifyFixture;
let sales: Awaited<ReturnType<typeof playSales>>;
let receiptFor: Awaited<ReturnType<typeof receiptsOf>>;

beforeAll(async () => {
  scene = await startVerifyFixture();
  sales = await playSales(scene);
  receiptFor = await receiptsOf(scene.chain);
});
afterAll(() => scene?.chain.stop());

/** The part of a receipt that a verdict vouches for: all of it but the fields that are named as not compared. */
function vouched(receipt: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(receipt));
  for (const { field, check } of fieldRows()) {
    if (check !== undefined) continue;
    const [name = '', member] = field.split('.');
    if (member === undefined) delete copy[name];
    else if (copy[name] !== null && typeof copy[name] === 'object') delete copy[name][member];
  }
  return copy;
}

describe('random changes of a receipt', () => {
  it('lets no change pass unless its field is named as not compared', {
    timeout: 3_600_000,
  }, async () => {
    const client = rememberingClient(scene.chain.anvil.url);
    const kinds = ['claimed', 'reversedLater', 'saleCapped', 'partlyRefunded', 'direct'] as const;
    const verdicts = new Map<string, number>();
    for (const [i, name] of kinds.entries()) {
      const original = wholeReceipt(receiptFor(sales[name]));
      const truth = shownAs(vouched(original));
      const mutations = fc.sample(mutationsOf(original), {
        numRuns: Math.ceil(RUNS / kinds.length),
        seed: SEED + i,
      });
      for (const { place, value } of mutations) {
        const { verdict, notCompared } = await verifySale({
          client,
          contractAddress: scene.chain.contract,
          saleId: sales[name].toString(),
          served: JSON.parse(JSON.stringify(value)) as ReceiptFields,
          fromBlock: scene.chain.startBlock,
        });
        verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
        if (verdict !== 'pass') continue;
        const seen = shownAs(vouched(value));
        const isNamed = notCompared.some(
          ({ field }) => field === place || `${place}.injected` === field,
        );
        expect([name, place, isNamed || seen === truth], JSON.stringify(value)).toEqual([
          name,
          place,
          true,
        ]);
      }
    }
    // A change may leave what a receipt shows as it was; most do not.
    expect(verdicts.get('fail') ?? 0).toBeGreaterThan(RUNS / 2);
  });
});
