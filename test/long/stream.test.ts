import { keccak256, toHex } from 'viem';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ApiFixture } from '../http/support/api-fixture.ts';
import { Follower, newestSequence, settledJournal } from '../http/support/follower.ts';
import { buy } from '../support/actions.ts';
import { accountAt, startTestChain, type TestChain } from '../support/chain.ts';
import { TestDeployment } from '../support/deployment.ts';
import { purchase, reorg } from '../support/reorg.ts';
import { Traffic } from '../support/traffic.ts';

let chain: TestChain;
let traffic: Traffic;
let deployment: TestDeployment;
let fixture: ApiFixture;

beforeAll(async () => {
  chain = await startTestChain();
  traffic = await Traffic.start(chain, 47);
  await traffic.play(10);
  fixture = await ApiFixture.open();
  deployment = await TestDeployment.open(chain);
  await deployment.startIndexer();
  deployment.startWorker();
  await deployment.settledToHead();
});

afterAll(async () => {
  await deployment?.close();
  await fixture?.close();
  await chain?.stop();
});

it('delivers exactly the events of a real chain to a stream reader, through a reorg', async () => {
  const { pool } = deployment;
  const follower = new Follower(fixture.app({ pool }));
  await follower.take();
  await follower.load(pool);
  const place = await traffic.somewhere();
  const buyer = accountAt(chain.accounts, 4);
  await buy(chain, place.campaignId, buyer, { nodeId: place.nodeId });
  await buy(chain, place.campaignId, buyer, { nodeId: place.nodeId });
  await deployment.settledToHead();
  await follower.takeUpTo(await newestSequence(pool));
  expect(follower.held).toEqual(await settledJournal(pool));
  const before = follower.held;

  const other = { ...place, buyer, orderKey: keccak256(toHex('another')) };
  await reorg(chain, 2, [[purchase(chain, other), 0]]);
  await traffic.afterReorg();
  await deployment.settledToHead();
  await follower.takeUpTo(await newestSequence(pool));
  expect(follower.held).toEqual(await settledJournal(pool));
  expect(follower.held).not.toEqual(before);
  const retracted = await pool`
    select 1 from ledger.change
    where kind = 'retracted' and campaign_id = ${String(place.campaignId)}`;
  expect(retracted.length).toBeGreaterThan(0);
  await follower.disconnect();
});
