import fc from 'fast-check';
import { pad, toFunctionSelector, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ReceiptFields } from '../../../engine/core/receipt.ts';
import { verifySale } from '../../../engine/verify/index.ts';
import { advance, refund, send } from '../../support/actions.ts';
import { accountAt } from '../../support/chain.ts';
import {
  askRpc,
  type Behaviour,
  batchingClient,
  type Question,
  Refusal,
  rememberingClient,
  strangeClient,
} from '../clients.ts';
import { forgeries } from '../forgeries.ts';
import { mutationsOf } from '../fuzz.ts';
import { serveRpcs } from '../lookalike.ts';
import { receiptsOf, wholeReceipt } from '../receipt.ts';
import { tamperings } from '../tamper.ts';
import {
  grow,
  open,
  playSales,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from '../verify-fixture.ts';
import {
  type Opinion,
  pythonIsInstalled,
  type SaleQuestion,
  type SecondVerifier,
  startSecondVerifierOfSales,
} from './second-verifier.ts';

/** Random changes of receipts to try: more with `VERIFY_FUZZ=100000`, of another seed with `VERIFY_FUZZ_SEED`. */
const RUNS = Number(process.env.VERIFY_FUZZ ?? 400);
/** Of the receipts with one member changed, each receipt of the fixture has another sixth; all with `VERIFY_FUZZ`. */
const EVERY = process.env.VERIFY_FUZZ === undefined ? 6 : 1;
const SEED = Number(process.env.VERIFY_FUZZ_SEED ?? 30);

type Asked = Pick<SaleQuestion, 'saleId' | 'receipt'> & Partial<SaleQuestion>;

describe.skipIf(!pythonIsInstalled)('the second verifier of receipts', () => {
  let scene: VerifyFixture;
  let receipts: ReadonlyMap<string, ReturnType<typeof wholeReceipt>>;
  let secondVerifier: SecondVerifier<SaleQuestion>;

  beforeAll(async () => {
    secondVerifier = startSecondVerifierOfSales();
    scene = await startVerifyFixture();
    const sales = await playSales(scene);
    const receiptFor = await receiptsOf(scene.chain);
    receipts = new Map(
      Object.values(sales).map((id) => [id.toString(), wholeReceipt(receiptFor(id))]),
    );
  }, 120_000);
  afterAll(async () => {
    await scene?.chain.stop();
    await secondVerifier?.stop();
  });

  /** Asks both verifiers, and expects the same verdict and the same status of each check. */
  async function agreed(
    asked: readonly Asked[],
    client = rememberingClient(scene.chain.anvil.url),
  ): Promise<readonly Opinion[]> {
    const { contract, anvil } = scene.chain;
    const startBlock = Number(scene.chain.startBlock);
    const questions = asked.map((one) => ({ contract, rpc: anvil.url, startBlock, ...one }));
    const second = await secondVerifier.opinions(questions);
    const opinions: Opinion[] = [];
    for (const [i, question] of questions.entries()) {
      const { saleId, receipt, atBlock, chainId, genesisHash } = question;
      const { verdict, checks } = await verifySale({
        ...{ client, contractAddress: question.contract, saleId, chainId, genesisHash },
        fromBlock: scene.chain.startBlock,
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

  it('agrees on receipts with one member changed', { timeout: 600_000 }, async () => {
    const asked = [...receipts].flatMap(([saleId, receipt], i) =>
      tamperings(receipt)
        .filter((_, place) => place % EVERY === i % EVERY)
        .map((one) => ({ saleId, receipt: json(one.receipt) })),
    );
    expect(asked.length).toBeGreaterThan(500);
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

  it('agrees on receipts with several random places changed', { timeout: 3_600_000 }, async () => {
    const all = [...receipts];
    const asked = all.flatMap(([saleId, receipt], i) => {
      const places = ['record.transactionHash', 'chainId', 'contractAddress', 'saleId'];
      const changes = fc.sample(fc.array(fc.nat(), { minLength: 2, maxLength: 5 }), {
        numRuns: Math.ceil(RUNS / 2 / all.length),
        seed: SEED + i,
      });
      return changes.map((seeds) => {
        const changed = seeds.reduce<unknown>((value, seed) => {
          const sampled = fc.sample(mutationsOf(value), { numRuns: 1, seed });
          return json(sampled[0]?.value ?? null);
        }, receipt);
        // The places that decide which sale is meant are seldom met at random.
        const named = places.filter((_, place) => ((seeds[0] ?? 0) >> place) % 2 === 1);
        const lies = Object(all[(seeds[1] ?? 0) % all.length]?.[1]);
        return {
          saleId,
          receipt: named.reduce((value, name) => withLie(value, name, lies), changed),
        };
      });
    });
    const verdicts = new Set((await agreed(asked)).map(({ verdict }) => verdict));
    for (const verdict of ['fail', 'unavailable']) expect(verdicts).toContain(verdict);
  });

  it('agrees on what says nothing about a receipt, and on what is a lie', async () => {
    const [[saleId, receipt] = ['1', {}]] = receipts;
    const { chain, token } = scene;
    const empty = accountAt(chain.accounts, 7);
    const elsewhere = { ...receipt, record: { transactionHash: `0x${'12'.repeat(32)}` } };
    const unnamed = { ...receipt, record: null };
    const missing = { ...receipt, saleId: '4711', record: null };
    const nowhere = `0x${'56'.repeat(32)}`;
    const asked: readonly (readonly [verdict: string, question: Asked])[] = [
      ['pass', { saleId, receipt, chainId: 31_337, genesisHash: nowhere }],
      ['unavailable', { saleId, receipt, chainId: 1 }],
      ['unavailable', { saleId, receipt, atBlock: 1_000_000 }],
      // Another sale, or none: its own chain or contract decides.
      ['fail', { saleId, receipt: { ...receipt, chainId: 10 } }],
      ['fail', { saleId, receipt: elsewhere, genesisHash: chain.genesisHash }],
      ['fail', { saleId, receipt: { ...unnamed, chainId: 10, contractAddress: empty } }],
      ['fail', { saleId, receipt: { ...elsewhere, chainId: '10', contractAddress: '0x12' } }],
      ['unavailable', { saleId, receipt: { ...elsewhere, chainId: 10 } }],
      ['unavailable', { saleId, receipt: { ...elsewhere, contractAddress: empty } }],
      ['unavailable', { saleId, receipt: elsewhere, genesisHash: nowhere }],
      ...[{}, [], null, 'receipt', 7].map((one) => ['fail', { saleId, receipt: one }] as const),
      // Sales that the contract does not know, and contracts that know no sales.
      ['fail', { saleId: '4711', receipt: missing }],
      ['unavailable', { saleId: '4711', receipt: { ...missing, chainId: 10 } }],
      ['fail', { saleId, receipt: missing, atBlock: Number(chain.startBlock) }],
      ...[empty, token].flatMap((contract) =>
        [receipt, { ...receipt, contractAddress: contract }].map(
          (one) => ['unavailable', { saleId, receipt: one, contract }] as const,
        ),
      ),
    ];
    const { client } = batchingClient(chain.anvil.url);
    const opinions = await agreed(
      asked.map(([, question]) => question),
      client,
    );
    const verdicts = opinions.map(({ verdict }, i) => [verdict, asked[i]?.[1]]);
    expect(verdicts).toEqual(asked);
  });

  it('agrees that a dead RPC says nothing', async () => {
    const [[saleId, receipt] = ['1', {}]] = receipts;
    const rpc = 'http://127.0.0.1:9/';
    const opinions = await agreed([{ saleId, receipt, rpc }], batchingClient(rpc).client);
    expect(opinions.map(({ verdict }) => verdict)).toEqual(['unavailable']);
  });

  it('agrees on RPCs that contradict themselves, and on RPCs that lack an answer', async () => {
    const [receipt] = receipts.values();
    const height = toHex(Number(receipt?.record.blockNumber));
    const changing =
      (
        name: string,
        change: (answer: object) => unknown,
        isMeant = (_: Question) => true,
      ): Behaviour =>
      async (question, pass) => {
        const answer = await pass();
        return question.method === name && isMeant(question) ? change(Object(answer)) : answer;
      };
    const refusing =
      (name: string): Behaviour =>
      ({ method }, pass) => {
        if (method === name) throw new Refusal(-32_000, 'refused');
        return pass();
      };
    const ofReceipt = (change: object) =>
      changing('eth_getTransactionReceipt', (answer) => ({ ...answer, ...change }));
    await agreedOn([
      ['fail', ofReceipt({ status: '0x0' })],
      ['fail', ofReceipt({ logs: [] })],
      ['fail', ofReceipt({ blockHash: pad('0x1') })],
      // A block that a reorg replaces meanwhile.
      [
        'fail',
        changing(
          'eth_getBlockByNumber',
          (block) => ({ ...block, hash: pad('0x2') }),
          ({ params }) => params[0] === height,
        ),
      ],
      // The contract's own state, of another amount.
      [
        'fail',
        changing(
          'eth_call',
          (answer) => String(answer).replace(word(1_000_000), word(1_000_001)),
          ({ params }) => Object(params[0]).data.startsWith(toFunctionSelector('sale(uint256)')),
        ),
      ],
      ['unavailable', changing('eth_getLogs', () => [])],
      ['unavailable', changing('eth_getTransactionReceipt', () => null)],
      ['unavailable', refusing('eth_getTransactionReceipt')],
      ['unavailable', refusing('eth_getLogs')],
      ['unavailable', refusing('eth_chainId')],
      ['unavailable', refusing('eth_getBlockByNumber')],
    ]);
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

  it('agrees that claims of other rewards make no receipt old', async () => {
    const [, ...known] = await fixtureQuestions();
    const atBlock = Number(await scene.chain.client.getBlockNumber());
    const asked = known.map((one) => ({ ...one, atBlock }));
    for (let i = 4; i <= 10; i += 1) {
      const campaigns = Array.from({ length: 8 }, (_, place) => BigInt(place + 1));
      await send(scene.chain, accountAt(scene.chain.accounts, i), 'claimRewards', [campaigns]);
    }
    const opinions = await agreed(asked, rememberingClient(scene.chain.anvil.url));
    const verdicts = new Set(opinions.map(({ verdict }) => verdict));
    expect(verdicts).toEqual(new Set(['pass', 'outdated']));
  });

  /** Questions about the receipts of all sales as of now. */
  async function fixtureQuestions(): Promise<readonly Asked[]> {
    const receiptFor = await receiptsOf(scene.chain);
    return [...receipts.keys()].map((saleId) => ({
      saleId,
      receipt: wholeReceipt(receiptFor(BigInt(saleId))),
    }));
  }

  /** Asks both verifiers about an honest receipt through RPCs that answer in ways of their own. */
  async function agreedOn(cases: readonly (readonly [verdict: string, rpc: Behaviour])[]) {
    const [[saleId, receipt] = ['1', {}]] = receipts;
    const { url } = scene.chain.anvil;
    const rpcs = cases.map(([, rpc]) => rpc);
    const server = await serveRpcs(rpcs, (question) => askRpc(url, question));
    const verdicts: string[] = [];
    for (const [i, rpc] of rpcs.entries()) {
      const asked = { saleId, receipt, rpc: server.url(i) };
      const [opinion] = await agreed([asked], strangeClient(url, rpc));
      verdicts.push(opinion?.verdict ?? '');
    }
    await server.stop();
    expect(verdicts).toEqual(cases.map(([verdict]) => verdict));
  }
});

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}

/** The receipt with one of its values, at most two names deep, as another receipt has it. */
function withLie(
  receipt: unknown,
  place: string,
  lies: Readonly<Record<string, unknown>>,
): unknown {
  const [name = '', member] = place.split('.');
  const known = { ...Object(receipt) };
  const lie =
    place === 'chainId' ? 10 : place === 'contractAddress' ? `0x${'12'.repeat(20)}` : lies[name];
  if (member === undefined) return { ...known, [name]: lie };
  return { ...known, [name]: { ...Object(known[name]), [member]: Object(lie)[member] } };
}

/** The value as JSON carries it. */
function json(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
