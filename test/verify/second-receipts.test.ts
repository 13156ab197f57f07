import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../engine/core/receipt.ts';
import { verifySale } from '../../engine/verify/index.ts';
import { advance, refund, send } from '../support/actions.ts';
import { accountAt } from '../support/chain.ts';
import { batchingClient, rememberingClient } from './clients.ts';
import { forgeries } from './forgeries.ts';
import { mutationsOf } from './fuzz.ts';
import { receiptsOf, wholeReceipt } from './receipt.ts';
import {
  type Opinion,
  pythonIsInstalled,
  type SaleQuestion,
  secondOpinionsOfSales,
} from './second/second-verifier.ts';
import { tamperings } from './tamper.ts';
import {
  grow,
  open,
  playSales,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from './verify-fixture.ts';

/** Random changes of receipts to try: more with `VERIFY_FUZZ=100000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 1_000);
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);

type Asked = Pick<SaleQuestion, 'saleId' | 'receipt'> & Partial<SaleQuestion>;

describe.skipIf(!pythonIsInstalled)('the second verifier of receipts', () => {
  let scene: VerifyFixture;
  let receipts: ReadonlyMap<string, ReturnType<typeof wholeReceipt>>;

  beforeAll(async () => {
    scene = await startVerifyFixture();
    const sales = await playSales(scene);
    const receiptFor = await receiptsOf(scene.chain);
    receipts = new Map(
      Object.values(sales).map((id) => [id.toString(), wholeReceipt(receiptFor(id))]),
    );
  }, 120_000);
  afterAll(() => scene?.chain.stop());

  /** Asks both verifiers, and expects the same verdict and the same status of each check. */
  async function agreed(
    asked: readonly Asked[],
    client = rememberingClient(scene.chain.anvil.url),
  ): Promise<readonly Opinion[]> {
    const { contract, anvil } = scene.chain;
    const questions = asked.map((one) => ({ contract, rpc: anvil.url, ...one }));
    const second = secondOpinionsOfSales(questions);
    const opinions: Opinion[] = [];
    for (const [i, { saleId, receipt, atBlock, contract: asker }] of questions.entries()) {
      const { verdict, checks } = await verifySale({
        ...{ client, contractAddress: asker, saleId, fromBlock: scene.chain.startBlock },
        served: receipt as ReceiptFields,
        ...(atBlock !== undefined && { atBlock: BigInt(atBlock) }),
      });
      const statuses = checks.map(({ name, status }) => [name, status] as const);
      const first = { verdict, checks: Object.fromEntries(statuses) };
      expect(second[i], JSON.stringify(receipt)).toEqual(first);
      opinions.push(first);
    }
    return opinions;
  }

  it('agrees that each honest receipt passes', async () => {
    const asked = [...receipts].map(([saleId, receipt]) => ({ saleId, receipt }));
    const verdicts = (await agreed(asked)).map(({ verdict }) => verdict);
    expect(new Set(verdicts)).toEqual(new Set(['pass']));
    expect(verdicts.length).toBeGreaterThan(15);
  });

  it('agrees on each forgery that the first verifier is tested with', async () => {
    const asked = [...receipts].flatMap(([saleId, receipt]) =>
      forgeries.map(([, forge]) => ({ saleId, receipt: json(forge(receipt)) })),
    );
    const verdicts = (await agreed(asked)).map(({ verdict }) => verdict);
    expect(verdicts.filter((verdict) => verdict === 'fail').length).toBeGreaterThan(200);
  });

  it('agrees on receipts with one member changed', async () => {
    const asked = [...receipts].flatMap(([saleId, receipt], i) =>
      tamperings(receipt)
        // Others of each receipt; `tampered.test.ts` tries the first verifier with all of them.
        .filter((_, place) => place % receipts.size === i)
        .map((one) => ({ saleId, receipt: json(one.receipt) })),
    );
    expect(asked.length).toBeGreaterThan(300);
    await agreed(asked);
  });

  it('agrees on receipts with a random place changed', { timeout: 3_600_000 }, async () => {
    const asked = [...receipts].flatMap(([saleId, receipt], i) =>
      fc
        .sample(mutationsOf(receipt), {
          numRuns: Math.ceil(RUNS / receipts.size),
          seed: SEED + i,
        })
        .map(({ value }) => ({ saleId, receipt: json(value) })),
    );
    const verdicts = new Set((await agreed(asked)).map(({ verdict }) => verdict));
    expect(verdicts).toContain('fail');
  });

  it('agrees that a sale is missing, and that another contract says nothing', async () => {
    const [[saleId, receipt] = ['1', {}]] = receipts;
    const asked = [
      { saleId: '4711', receipt: { ...receipt, saleId: '4711' } },
      { saleId, receipt, contract: accountAt(scene.chain.accounts, 7) },
      { saleId, receipt, atBlock: 1_000_000 },
    ];
    const opinions = await agreed(asked, batchingClient(scene.chain.anvil.url).client);
    const verdicts = opinions.map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['fail', 'unavailable', 'unavailable']);
  });

  it('agrees that a receipt is outdated after a refund, and after a claim of its reward', async () => {
    const { chain, merchant, attester } = scene;
    const campaignId = await open(scene, {});
    const nodes = await grow(scene, campaignId, 2);
    const refunded = await sell(scene, campaignId, nodes[0]);
    const claimed = await sell(scene, campaignId, nodes[0]);
    await advance(chain, 61);
    await send(chain, attester, 'finalize', [[claimed]]);
    const receiptFor = await receiptsOf(chain);
    const atBlock = Number(await chain.client.getBlockNumber());
    const asked = [refunded, claimed].map((id) => ({
      saleId: id.toString(),
      receipt: wholeReceipt(receiptFor(id)),
      atBlock,
    }));
    const verdicts = async () => (await agreed(asked)).map(({ verdict }) => verdict);
    expect(await verdicts()).toEqual(['pass', 'pass']);
    await refund(chain, merchant, refunded, 400_000n);
    expect(await verdicts()).toEqual(['outdated', 'pass']);
    await send(chain, accountAt(chain.accounts, 4), 'claimRewards', [[campaignId]]);
    expect(await verdicts()).toEqual(['outdated', 'outdated']);
  });
});

/** The value as JSON carries it. */
function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
