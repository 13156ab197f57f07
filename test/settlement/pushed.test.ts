import { afterAll, beforeAll, expect, it } from 'vitest';
import { feed } from '../../engine/settlement/feeder.ts';
import { Pushed } from '../../engine/settlement/pushed.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleBench } from '../support/settle-bench.ts';
import { PushedJobs, settleCampaign } from '../support/settle-jobs.ts';

let database: TestDatabase;
let bench: SettleBench;

beforeAll(async () => {
  database = await createTestDatabase();
  bench = await SettleBench.open(database.url);
});

afterAll(async () => {
  await bench?.pool.end();
  await database?.drop();
});

it('looks push a campaign once, and again when it stands elsewhere or lost its fact', async () => {
  const { pool, chain, table } = bench;
  const facts = randomHistory({ seed: 4, steps: 120, campaigns: 3 });
  await bench.index(facts);
  const memory = { facts: new Pushed(async () => 0), clocks: new Pushed(async () => 0) };
  const look = async () => {
    const queue = new PushedJobs();
    const onChainError = (error: unknown) => expect.fail(String(error));
    await feed({ pool, chain, queue, onChainError, pushed: memory });
    return queue.campaignIds.sort();
  };
  expect(await look()).toEqual(['1', '2', '3']);
  expect(await look()).toEqual([]);

  const options = { pool, chain, keccak256: keccak, batchSize: 10 };
  expect(await settleCampaign(options, '2')).toMatchObject({ outcome: 'folded', events: 10 });
  expect(await look()).toEqual(['2']);
  expect(await look()).toEqual([]);

  // What vanished is looked into at each look: nobody else would notice when it comes back.
  const folded = facts.filter(({ campaignId }) => campaignId === '2')[9];
  await table.removeFrom(folded?.blockNumber ?? 0);
  expect(await look()).toContain('2');
  expect(await look()).toContain('2');
});
