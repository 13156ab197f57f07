import { expect, it } from 'vitest';
import { verifyByQuorum } from '../../engine/cli/verify-by-quorum.ts';
import type { ReceiptVerdict, Verification } from '../../engine/verify/index.ts';

const URLS = [1, 2, 3].map((i) => `http://rpc-${i}.example/`);

/** Verifies with RPCs that come to these verdicts, in their order. */
async function verdictOf(rpcQuorum: number, ...verdicts: ReceiptVerdict[]) {
  const left = [...verdicts];
  let asked = 0;
  const chain = { chainId: 1, startBlock: 0, rpcUrls: URLS.slice(0, verdicts.length), rpcQuorum };
  const { verdict } = await verifyByQuorum(chain, async () => {
    asked += 1;
    return { verdict: left.shift() } as Verification;
  });
  return { verdict, asked };
}

it('verifies once if one RPC is enough', async () => {
  expect(await verdictOf(1, 'fail', 'pass')).toEqual({ verdict: 'fail', asked: 1 });
});

it.each<[ReceiptVerdict, ReceiptVerdict[]]>([
  ['pass', ['pass', 'pass']],
  ['pass', ['fail', 'pass', 'pass']],
  ['fail', ['fail', 'pass', 'fail']],
  ['pass', ['unavailable', 'pass', 'pass']],
  ['unavailable', ['unavailable', 'pass']],
  ['unavailable', ['unavailable', 'unavailable', 'fail']],
])('gives the verdict %s if RPCs come to %j, and two must agree', async (verdict, verdicts) => {
  expect(await verdictOf(2, ...verdicts)).toEqual({ verdict, asked: verdicts.length });
});

it('gives no verdict if RPCs contradict each other', async () => {
  await expect(verdictOf(2, 'pass', 'fail')).rejects.toMatchObject({
    message: '2 RPCs gave 2 answers about the sale, and 2 must agree (RPC_QUORUM).',
    exitCode: 3,
  });
});
