import { afterAll, beforeAll, expect, it } from 'vitest';
import { feed } from '../../engine/settlement/feeder.ts';
import { RecentPushes } from '../../engine/settlement/recent-pushes.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { PushedJobs, settleCampaign } from '../support/settle-jobs.ts';

let database: TestDatabase;
let fixture: SettleFixture;

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
});

afterAll(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

it('pushes a campaign once, and again when it made progress or lost its fact', async () => {
  const { pool, chain, table } = fixture;
  const facts = randomHistory({ seed: 4, steps: 120, campaigns: 3 });
  await fixture.index(facts);
  const memory = {
    facts: new RecentPushes(async () => 0),
    clocks: new RecentPushes(async () => 0),
  };
  const tick = async () => {
    const queue = new PushedJobs();
    const onChainError = (error: unknown) => expect.fail(String(error));
    await feed({ pool, chain, queue, onChainError, pushed: memory });
    return queue.campaignIds.sort();
  };
  expect(await tick()).toEqual(['1', '2', '3']);
  expect(await tick()).toEqual([]);

  const options = { pool, chain, keccak256: keccak, batchSize: 10 };
  expect(await settleCampaign(options, '2')).toMatchObject({ outcome: 'folded', events: 10 });
  expect(await tick()).toEqual(['2']);
  expect(await tick()).toEqual([]);

  // A missing fact is checked at each tick: nothing else would notice that it is back.
  const folded = facts.filter(({ campaignId }) => campaignId === '2')[9];
  await table.removeFrom(folded?.blockNumber ?? 0);
  expect(await tick()).toContain('2');
  expect(await tick()).toContain('2');
});
