import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Receipt } from '../../engine/contract/shapes/receipt.ts';
import { withAttachedCodes } from '../../engine/core/calldata-suffix.ts';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import {
  type CoverageTable,
  isCompared,
  isNotCompared,
  receiptCoverage,
} from '../../engine/core/receipt-coverage.ts';
import { checkNames, type Verification, verifySale } from '../../engine/verify/index.ts';
import { saleRefOf } from '../support/actions.ts';
import { buyThroughForwarder } from '../support/forwarder.ts';
import { rememberingClient } from './clients.ts';
import { receiptsOf, wholeReceipt } from './receipt.ts';
import { tamperings } from './tamper.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from './verify-fixture.ts';

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
    const lies = tamperings(wholeReceipt(receiptFor(sales[name])));
    expect(lies.length).toBeGreaterThan(least);
    for (const { what, receipt } of lies) {
      const verification = await verify(sales[name], receipt);
      const { verdict, notCompared } = verification;
      const shown = notCompared.map(({ field }) => field);
      const check = checkOf(what);
      expect(failingOf(verification), `${what} = ${JSON.stringify(receipt)}`).toEqual(
        check === undefined ? [] : [check],
      );
      // No lie passes unless the reader is shown that nothing compares its field.
      if (check === undefined)
        expect(
          shown.some((field) => isIn(what, field)),
          what,
        ).toBe(true);
      else expect(verdict, what).toBe('fail');
    }
  });

  it('tries every field of the schema of a receipt', () => {
    const tried = new Set(
      (['claimed', 'saleCapped', 'attested'] as const).flatMap((name) =>
        tamperings(wholeReceipt(receiptFor(sales[name]))).map(({ what }) => what),
      ),
    );
    for (const field of Object.keys(Receipt.shape)) {
      expect(
        [...tried].some((what) => what.split(/[.[]/)[0] === field),
        field,
      ).toBe(true);
    }
  });

  it('fails a receipt of another sale', async () => {
    const failed = await failing(sales.finalized, receiptFor(sales.claimed));
    expect(failed).toContain('sale');
    expect(failed).toContain('transaction');
  });

  it('fails every check of an empty receipt', async () => {
    const compared = checkNames.filter((name) => name !== 'age');
    for (const nothing of [{}, [], null, 'receipt', 7]) {
      expect(await failing(sales.finalized, nothing)).toEqual(compared);
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

  it('accepts hex in any case and times without fractions', async () => {
    const good = wholeReceipt(receiptFor(sales.claimed));
    const upper = JSON.stringify(good)
      .replaceAll(/0x[0-9a-f]{40,}/g, (hex) => `0x${hex.slice(2).toUpperCase()}`)
      .replaceAll('.000Z', 'Z');
    expect(await failing(sales.claimed, JSON.parse(upper))).toEqual([]);
  });

  it('names every field that it does not know as not compared, and at most 20 of them', async () => {
    const good = wholeReceipt(receiptFor(sales.direct));
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`paid${i}`, 'in full']));
    const { verdict, notCompared } = await verify(sales.direct, { ...good, ...many });
    expect(verdict).toBe('pass');
    const unknown = notCompared.filter(({ field }) => field.startsWith('paid'));
    expect(unknown).toHaveLength(20);
    expect(unknown[0]?.reason).toBe('This verifier does not know the field.');
    expect(notCompared.at(-1)?.reason).toBe('30 more that this verifier does not know.');
  });

  it('refuses another case in text of the merchant', async () => {
    const good = receiptFor(sales.saleCapped);
    const policy = { ...good.policy, sharingRules: ['#ad', '0xff'] };
    expect(await failing(sales.saleCapped, { ...good, policy })).toEqual(['policy']);
  });

  it('refuses an additional argument of an event', async () => {
    const good = receiptFor(sales.direct);
    const withArgs = (more: object) => ({
      ...good,
      transitions: good.transitions.map((event) => ({
        ...event,
        args: { ...event.args, ...more },
      })),
    });
    expect(await failing(sales.direct, withArgs({ bonus: '5' }))).toEqual(['transitions']);
    expect(await failing(sales.direct, withArgs({ campaignId: good.campaignId }))).toEqual([
      'transitions',
    ]);
  });
});

describe('codes that are attached to the calldata', () => {
  const servedWith = (saleId: bigint, codes: unknown) => {
    const good = wholeReceipt(receiptFor(saleId));
    return { ...good, attribution: { ...good.attribution, codes } };
  };
  const fieldsNotCompared = ({ notCompared }: Verification) =>
    notCompared.map(({ field }) => field);

  it('names them, and that they decide nothing', async () => {
    const { checks } = await verify(sales.fullyRefunded, receiptFor(sales.fullyRefunded));
    const check = checks.find(({ name }) => name === 'attribution');
    expect(check?.status).toBe('pass');
    expect(check?.message).toMatch(
      /^Node \d+ counted, as the call says\. Its sender attached "tea-shop", "0xAb", "2026-01-01T00:00:00Z", which decides nothing\.$/,
    );
  });

  it('believes a service that it does not know them, and says that it did not compare them', async () => {
    const verification = await verify(sales.fullyRefunded, servedWith(sales.fullyRefunded, null));
    expect(verification.verdict).toBe('pass');
    expect(fieldsNotCompared(verification)).toContain('attribution.codes');
    expect(verification.facts?.attribution?.codes).toHaveLength(3);
  });

  it('fails a service that hides them, and one that makes some up', async () => {
    expect(await failing(sales.fullyRefunded, servedWith(sales.fullyRefunded, []))).toEqual([
      'attribution',
    ]);
    const madeUp = [{ code: 'shop', role: null, registry: null }];
    expect(await failing(sales.direct, servedWith(sales.direct, madeUp))).toEqual(['attribution']);
  });

  it('reads none from the calldata of another contract, and fails a service that names some', async () => {
    // The other has remembered the newest block.
    client = rememberingClient(scene.chain.anvil.url);
    const { campaignId } = await saleRefOf(scene.chain, sales.direct);
    const saleId = await buyThroughForwarder(
      scene.chain,
      { token: scene.token, campaignId },
      { dataSuffix: withAttachedCodes('0x', ['shop']) },
    );
    const served = (await receiptsOf(scene.chain))(saleId);
    expect(served.attribution.codes).toBeNull();
    expect((await verify(saleId, served)).verdict).toBe('pass');
    const madeUp = { ...served, attribution: { ...served.attribution, codes: [] } };
    expect(await failing(saleId, madeUp)).toEqual(['attribution']);
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
  return failingOf(await verify(saleId, served));
}

function failingOf({ checks }: Verification): string[] {
  expect(checks.filter(({ status }) => status === 'unavailable')).toEqual([]);
  return checks.filter(({ status }) => status === 'fail').map(({ name }) => name);
}

/** The check that compares a field, by the table; `undefined` if none does. */
function checkOf(what: string): string | undefined {
  let entry: CoverageTable[string] = receiptCoverage;
  for (const key of what.split(/[.[]/)) {
    if (isCompared(entry) || isNotCompared(entry)) break;
    const next: CoverageTable[string] | undefined = entry[key];
    if (next === undefined) return undefined;
    entry = next;
  }
  while (!isCompared(entry)) {
    if (isNotCompared(entry)) return undefined;
    const [first] = Object.values(entry);
    if (first === undefined) return undefined;
    entry = first;
  }
  return entry.check;
}

/** True if a changed place is the field, or within it. */
function isIn(what: string, field: string): boolean {
  return what === field || what.startsWith(`${field}.`) || what.startsWith(`${field}[`);
}
