import { afterAll, beforeAll, expect, it } from 'vitest';
import { contractReader } from '../../engine/chain/contract-reader.ts';
import { audit } from '../../engine/settlement/audit.ts';
import { chainEnv, startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { rpcTraits, type TraitName } from '../support/rpc-traits/index.ts';
import { type RpcCall, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import type { Behaviour, Trait } from '../support/rpc-traits/trait.ts';
import { Traffic } from '../support/traffic.ts';
import { waitFor } from '../support/wait-for.ts';

let chain: TestChain;
let rpc: TraitRpc;
let deployment: TestDeployment;
let traffic: Traffic;

beforeAll(async () => {
  chain = await startTestChain();
  traffic = await Traffic.start(chain, 13, 2);
  await traffic.play(15);
  // Past the indexer's finality, so that it loads ranges.
  await chain.client.mine({ blocks: 900 });
  await traffic.play(5);
  rpc = await startTraitRpc(chain.anvil.url);
  deployment = await TestDeployment.open(chain);
});

afterAll(async () => {
  await deployment?.close();
  await rpc?.stop();
  await chain?.stop();
});

/** A behaviour of a trait. @param share of the requests that it hits. */
function played(name: TraitName, form?: string, share = 1): Behaviour {
  const { forms }: Trait = rpcTraits[name];
  const begin = forms[form ?? Object.keys(forms)[0] ?? ''];
  if (begin === undefined) throw new Error(`The trait ${name} has no form ${form}.`);
  const { http, answer, ...rest } = begin();
  let seed = 7;
  const isHit = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647 < share;
  };
  return {
    ...rest,
    http: (requests, authorization) => (isHit() ? http?.(requests, authorization) : undefined),
    answer: async (request, ask) =>
      answer && isHit() ? await answer(request, ask) : await ask(request),
  };
}

async function expectSettled(): Promise<void> {
  await deployment.settledToHead(120_000).catch(async (cause: unknown) => {
    const errors = await deployment.pool`select name, message from ledger.feeder_error`;
    throw new Error(`It does not settle: ${JSON.stringify(errors)}`, { cause });
  });
  const report = await audit(deployment.pool, contractReader(chainEnv(chain)));
  expect(report).toMatchObject({ violations: [], discrepancies: 0, campaigns: 2 });
}

it('indexes and settles a history over an RPC with limits and odd logs, and a chain without blooms', async () => {
  rpc.behaviours = [
    played('zeroBlooms', 'every block'),
    played('shuffledLogs'),
    played('removedLogs'),
    played('foreignLog'),
    played('repeatedLogs', 'twice', 0.1),
    played('receiptExtra'),
    played('rangeLimit', 'Chainstack 100: -32602'),
    played('batchesRefused', 'more than 3, HTTP 500'),
    played('noBlockReceipts', 'HTTP 403'),
    played('rateByHttp', 'a page', 0.05),
  ];
  await deployment.startIndexer({ rpcUrls: [rpc.url] });
  deployment.startWorker({ RPC_URL: rpc.url });
  await deployment.indexer.ready();
  await expectSettled();
}, 240_000);

it('goes on live while refusals, lagging nodes and repeated logs come and go', async () => {
  for (const behaviours of [
    [played('lagging'), played('zeroBlooms', 'some blocks')],
    [played('rateByError', '-32005', 0.2), played('repeatedLogs', 'twice', 0.3)],
    [played('errorPages', 'HTTP 502', 0.2), played('emptyLogs', '[]', 0.2)],
    [played('cutBody'), played('transactionIndexOff')],
  ]) {
    rpc.behaviours = behaviours;
    await traffic.play(4);
    rpc.behaviours = [];
    await expectSettled();
  }
}, 480_000);

it('tries a block again that an RPC described wrongly, though no other block follows', async () => {
  const wrong = rpc.calls.length;
  rpc.behaviours = [played('repeatedLogs', 'twice')];
  await traffic.play(1);
  // Ponder asks for the logs of a block by its hash alone.
  const isOfIndexer = ({ method, params: [filter] }: RpcCall) =>
    method === 'eth_getLogs' && Object.keys(filter as object).join() === 'blockHash';
  const askedTwice = () => rpc.calls.slice(wrong).filter(isOfIndexer).length > 1;
  await waitFor(askedTwice, { what: 'the indexer to have tried twice' });
  rpc.behaviours = [];
  await expectSettled();
}, 240_000);
