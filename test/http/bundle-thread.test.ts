import { afterAll, beforeAll, expect, it } from 'vitest';
import { BundleThread } from '../../engine/cli/bundle-thread.ts';
import { makeBundleHere } from '../../engine/http/resources/receipts/bundles.ts';
import { bundleText } from '../../engine/verify/bundle/index.ts';
import { NoSaleError } from '../../engine/verify/bundle/make/index.ts';
import * as act from '../support/actions.ts';
import {
  accountAt,
  chainEnv,
  deployToken,
  startTestChain,
  type TestChain,
} from '../support/chain.ts';
import { lower } from '../support/facts.ts';

let chain: TestChain;
let thread: BundleThread;

beforeAll(async () => {
  chain = await startTestChain();
  thread = new BundleThread(chainEnv(chain));
  const merchant = accountAt(chain.accounts, 1);
  const token = await deployToken(chain);
  const id = await act.createCampaign(chain, merchant, token);
  await act.fund(chain, { id, token }, merchant, 1_000_000_000n);
  await act.giveTokens(chain, token, accountAt(chain.accounts, 2), 1_000_000_000n);
  const nodeId = await act.join(chain, id, accountAt(chain.accounts, 3));
  await act.buy(chain, id, accountAt(chain.accounts, 2), { nodeId });
}, 60_000);
afterAll(async () => {
  await thread?.close();
  await chain?.stop();
});

const requestOf = (saleId: string) => ({
  contractAddress: lower(chain.contract),
  saleId,
  fromBlock: 0n,
});

it('makes the same bundle as this thread, while this one does other work', async () => {
  const here = await makeBundleHere(chain.client, requestOf('1'));
  const [first, second] = await Promise.all([
    thread.make(requestOf('1')),
    thread.make(requestOf('1')),
  ]);
  expect(bundleText(first)).toBe(bundleText(here));
  expect(second).toEqual(first);
  const busy = async (make: () => Promise<unknown>) => {
    const before = performance.eventLoopUtilization();
    for (let i = 0; i < 5; i += 1) await make();
    return performance.eventLoopUtilization(before).active;
  };
  const alone = await busy(() => makeBundleHere(chain.client, requestOf('1')));
  expect(await busy(() => thread.make(requestOf('1')))).toBeLessThan(alone / 4);
}, 60_000);

it('passes on which error it was', async () => {
  await expect(thread.make(requestOf('999'))).rejects.toBeInstanceOf(NoSaleError);
});

it('starts again after it has ended', async () => {
  await thread.close();
  expect((await thread.make(requestOf('1'))).saleId).toBe('1');
}, 60_000);
