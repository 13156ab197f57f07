import fc from 'fast-check';
import type { RpcLog } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../../engine/core/receipt.ts';
import { type Verification, verifySale } from '../../../engine/verify/index.ts';
import { askRpc, type Behaviour, remembering, strangeClient } from '../clients.ts';
import {
  changedLogs,
  eachArgumentChanged,
  type Lookalike,
  logsOfContract,
  lookalikeRpc,
  serveRpcs,
  withOneCampaign,
} from '../lookalike.ts';
import { messageOf, statuses } from '../results.ts';
import { playSales, startVerifyFixture, type VerifyFixture } from '../verify-fixture.ts';
import {
  type Opinion,
  pythonIsInstalled,
  type SaleQuestion,
  type SecondVerifier,
  startSecondVerifierOfSales,
} from './second-verifier.ts';

/** Contracts to make up: more with `VERIFY_FUZZ=10000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 60);
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);

describe.skipIf(!pythonIsInstalled)('a contract that looks alike and breaks the rules', () => {
  let scene: VerifyFixture;
  let honest: readonly Lookalike[];
  let names: readonly string[];
  let chain: Behaviour;
  let secondVerifier: SecondVerifier<SaleQuestion>;

  beforeAll(async () => {
    secondVerifier = startSecondVerifierOfSales();
    scene = await startVerifyFixture();
    const sales = await playSales(scene);
    const { anvil, contract } = scene.chain;
    const remember = remembering();
    chain = (question) => remember(question, () => askRpc(anvil.url, question));
    const logs = await logsOfContract(anvil.url, contract);
    names = Object.keys(sales);
    honest = Object.values(sales).map((id) => ({ contract, saleId: `${id}`, logs }));
  }, 120_000);
  afterAll(async () => {
    await scene?.chain.stop();
    await secondVerifier?.stop();
  });

  it('gets the same status of each check from both verifiers', { timeout: 3_600_000 }, async () => {
    await agreed((one, i) => {
      const numRuns = Math.ceil(RUNS / honest.length);
      return fc.sample(changedLogs(one), { numRuns, seed: SEED + i });
    });
  });

  it('gets the same status if one argument of one event is another', {
    timeout: 3_600_000,
  }, async () => {
    const some = ['partlyRefunded', 'reversed'];
    await agreed((one, i) => {
      // Hundreds of contracts: other campaigns than that of the sale are in those above.
      return some.includes(names[i] ?? '') ? eachArgumentChanged(withOneCampaign(one)) : [];
    });
  });

  /** Expects the same opinions on the honest contract, and on ones that emitted other logs of each sale. */
  async function agreed(changes: (one: Lookalike, i: number) => readonly (readonly RpcLog[])[]) {
    const all = honest.flatMap((one, i) => {
      return [one, ...changes(one, i).map((logs) => ({ ...one, logs }))];
    });
    const rpcs = all.map((one): Behaviour => {
      const [rpc, remember] = [lookalikeRpc(one), remembering()];
      return (question, pass) => remember(question, async () => rpc(question, pass));
    });
    const server = await serveRpcs(rpcs, chain);
    const first: Verification[] = [];
    const questions = [];
    for (const [i, one] of all.entries()) {
      const { result, receipt } = await verifyOwn(one, rpcs[i] ?? never);
      first.push(result);
      const { contract, saleId } = one;
      questions.push({ rpc: server.url(i), contract, saleId, receipt });
    }
    const second = await secondVerifier.opinions(questions);
    await server.stop();
    const met = new Set<string>();
    for (const [i, result] of first.entries()) {
      const opinion = { verdict: result.verdict, checks: statuses(result) };
      met.add(JSON.stringify(opinion));
      const [a, b] = [opinion, second[i]].map((one) => comparable(one, result));
      expect(b, JSON.stringify(result)).toEqual(a);
    }
    // Many rules are broken, alone and together.
    expect(met.size).toBeGreaterThan(10);
    expect(met).toContain(
      JSON.stringify({ verdict: 'pass', checks: statuses(first[0] ?? never()) }),
    );
  }

  /** The opinion of the first verifier on the receipt that it computes from what such a contract emitted. */
  async function verifyOwn(one: Lookalike, rpc: Behaviour) {
    const client = strangeClient('', (question) =>
      rpc(question, async (asked = question) => chain(asked, never)),
    );
    const { contract: contractAddress, saleId } = one;
    const sale = { client, contractAddress, saleId, fromBlock: scene.chain.startBlock };
    const { facts } = await verifySale(sale);
    if (facts === undefined) return { result: await verifySale(sale), receipt: undefined };
    const receipt: ReceiptFields = JSON.parse(JSON.stringify(facts));
    return { result: await verifySale({ ...sale, served: receipt }), receipt };
  }
});

/** If the sale has events in a block before it was recorded, `sale` fails, and the other checks may say so or not. */
function comparable(opinion: Opinion | undefined, first: Verification) {
  const isEarly = messageOf(first, 'sale').includes('before its SaleRecorded');
  return isEarly ? { verdict: opinion?.verdict, sale: opinion?.checks.sale } : opinion;
}

function never(): never {
  throw new Error('This is never asked.');
}
