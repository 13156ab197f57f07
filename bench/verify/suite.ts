import { createPublicClient, http, type PublicClient } from 'viem';
import { type Verification, verifySale } from '../../engine/verify/index.ts';
import { receiptsOf } from '../../test/verify/receipt.ts';
import {
  playSales,
  startVerifyFixture,
  type VerifyFixture,
} from '../../test/verify/verify-fixture.ts';
import { checksumOf, interleaved, rates, type Sample, spreadOf } from '../harness/measure.ts';
import { ratioOf, type Suite } from '../harness/suite.ts';

/** Verifications of each sale in a round. */
const TIMES = 20;

/** Sales of every kind and state, their receipts at hand, held against anvil. */
export const verifySuite: Suite = {
  name: 'verify',
  about: 'sales of every state, receipt at hand, against anvil',
  run: async ({ rounds, quick }) => {
    const scene = await startVerifyFixture();
    try {
      const sales = Object.values(await playSales(scene));
      const times = quick ? 2 : TIMES;
      const plan = await record(scene, sales);
      const samples = await interleaved(rounds, {
        ceiling: () => replay(scene, plan, times),
        verify: () => verifyAll(scene, sales, times),
      });
      const count = sales.length * times;
      const [ours, figure] = [rates(samples.verify, count), rates(samples.ceiling, count)];
      const trips = spreadOf(plan.map((bodies) => bodies.length));
      return [
        {
          workload: `round trips, ${sales.length} sales`,
          unit: 'round trips',
          ours: trips,
          ceiling: null,
          ratio: null,
          aim: { text: '≤ 2', met: trips.most <= 2 },
          checksum: null,
        },
        {
          workload: 'verified, one after the other',
          unit: 'requests/s',
          ours,
          ceiling: { name: 'the same RPC calls, batched', figure },
          ratio: ratioOf('requests/s', ours, figure),
          aim: null,
          checksum: samples.verify[0]?.checksum ?? null,
        },
      ];
    } finally {
      await scene.chain.stop();
    }
  },
};

/** The bodies of the requests that each verification sends. */
async function record(
  scene: VerifyFixture,
  sales: readonly bigint[],
): Promise<readonly string[][]> {
  const atBlock = await scene.chain.client.getBlockNumber();
  const receiptFor = await receiptsOf(scene.chain);
  const plan: string[][] = [];
  for (const saleId of sales) {
    const bodies: string[] = [];
    const client = clientOf(scene, (body) => bodies.push(body));
    await verifyOne(scene, client, saleId, receiptFor(saleId), atBlock);
    plan.push(bodies);
  }
  return plan;
}

function clientOf(
  { chain }: VerifyFixture,
  onBody: (body: string) => void = () => {},
): PublicClient {
  // It must answer nothing: viem would take an answer for another request.
  const onFetchRequest = (_request: Request, init: RequestInit) => {
    onBody(String(init.body));
  };
  return createPublicClient({
    transport: http(chain.anvil.url, { batch: true, onFetchRequest, retryCount: 0 }),
  });
}

async function verifyOne(
  { chain }: VerifyFixture,
  client: PublicClient,
  saleId: bigint,
  served: Parameters<typeof verifySale>[0]['served'],
  atBlock: bigint,
): Promise<Verification> {
  const { contract: contractAddress, startBlock: fromBlock } = chain;
  const parts = { client, contractAddress, fromBlock, atBlock, served };
  const verification = await verifySale({ ...parts, saleId: saleId.toString() });
  if (verification.verdict === 'pass') return verification;
  throw new Error(`sale ${saleId} was answered with ${verification.verdict}`);
}

async function verifyAll(
  scene: VerifyFixture,
  sales: readonly bigint[],
  times: number,
): Promise<Sample> {
  const atBlock = await scene.chain.client.getBlockNumber();
  const receiptFor = await receiptsOf(scene.chain);
  const receipts = sales.map(receiptFor);
  const client = clientOf(scene);
  let last: Verification[] = [];
  const started = performance.now();
  for (let i = 0; i < times; i += 1) {
    last = [];
    for (const [at, saleId] of sales.entries()) {
      last.push(await verifyOne(scene, client, saleId, receipts[at], atBlock));
    }
  }
  return { ms: performance.now() - started, checksum: checksumOf(JSON.stringify(last)) };
}

/** The ceiling of verification: the same requests, without any computation. */
async function replay(
  { chain }: VerifyFixture,
  plan: readonly (readonly string[])[],
  times: number,
): Promise<Sample> {
  const headers = { 'content-type': 'application/json' };
  let answers = 0;
  const started = performance.now();
  for (let i = 0; i < times; i += 1) {
    for (const bodies of plan) {
      for (const body of bodies) {
        const response = await fetch(chain.anvil.url, { method: 'POST', headers, body });
        const answer: unknown = JSON.parse(await response.text());
        answers += Array.isArray(answer) ? answer.length : 1;
      }
    }
  }
  return { ms: performance.now() - started, checksum: checksumOf(String(answers)) };
}
