import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readHeads } from '../../engine/db/heads.ts';
import { ChainWatch } from '../../engine/settlement/chain-watch.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { countingChain } from '../support/counting-chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

let database: TestDatabase;
let fixture: SettleFixture;
let watch: ChainWatch;
let requests: string[];
let isAway: boolean;

/** A tick. @returns what it requested of the chain. */
async function tick(): Promise<readonly string[]> {
  requests = [];
  const chain = countingChain(fixture.chain, (request) => {
    requests.push(request);
    if (isAway) throw new Error('the RPC does not answer');
  });
  const queue = { push: async () => {} };
  await feed({ pool: fixture.pool, chain, queue, onChainError: () => {}, watch });
  return requests;
}

/** Lets chain and indexer go on to an empty block. */
async function mine(number: number, indexed = number): Promise<void> {
  fixture.chain.setHead(number, 2_000_000_000 + number);
  await fixture.table.setHead({ number: indexed, timestamp: 2_000_000_000 + indexed });
}

beforeAll(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(randomHistory({ seed: 9, steps: 60, campaigns: 2 }));
  await fixture.settle();
  await fixture.tick();
});
afterAll(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

let height = 10_000;
beforeEach(async () => {
  isAway = false;
  watch = new ChainWatch(fixture.chain.restMs);
  height += 10;
  await mine(height);
  await tick();
  await tick();
});

it('requests nothing while every indexed block is checked', async () => {
  expect(await tick()).toEqual([]);
  expect(await tick()).toEqual([]);
});

it('requests a block that the indexer announces once, and settles it', async () => {
  await mine(height + 1);
  expect(await tick()).toEqual([`provenBlocks ${height + 1} ${height + 1}`]);
  const heads = await readHeads(fixture.pool);
  expect(heads?.settled?.number).toBe(height + 1);
  expect(heads?.chainNumber).toBe(height + 1);
  expect(await tick()).toEqual([]);
});

it('requests each of several announced blocks once', async () => {
  await mine(height + 4);
  const blocks = (await tick()).filter((request) => request.startsWith('provenBlocks'));
  expect(blocks).toEqual([
    `provenBlocks ${height + 4} ${height + 4}`,
    `provenBlocks ${height + 1} ${height + 3}`,
  ]);
  expect((await readHeads(fixture.pool))?.settled?.number).toBe(height + 4);
});

it('requests the newest block when the indexer has gone back, and follows it', async () => {
  await mine(height - 1);
  expect(await tick()).toContain('head');
  expect((await readHeads(fixture.pool))?.settled?.number).toBe(height - 1);
});

it('pauses longer after each request that the RPC refuses, says so, and then rests again', async () => {
  let now = 0;
  watch = new ChainWatch(fixture.chain.restMs, () => now);
  await mine(height + 1);
  isAway = true;
  const asked: number[] = [];
  for (; now < 10_000; now += 250) {
    if ((await tick()).length > 0) asked.push(now);
    expect(await fixture.pool`select name from ledger.feeder_error`).toMatchObject([
      { name: 'rpc' },
    ]);
  }
  expect(asked.slice(0, 5)).toEqual([0, 250, 750, 1_750, 3_750]);
  isAway = false;
  now += fixture.chain.restMs;
  expect(await tick()).toEqual(expect.arrayContaining(['head', 'finality']));
  expect((await readHeads(fixture.pool))?.settled?.number).toBe(height + 1);
  expect(await tick()).toEqual([]);
});

it.each([
  { when: 'at a block after twenty seconds', isAnnounced: true, restMs: 20_000 },
  { when: 'after twenty-five seconds without a block', isAnnounced: false, restMs: 25_000 },
])('requests the newest block and the tags again $when', ({ isAnnounced, restMs }) => {
  let now = 0;
  const rested = new ChainWatch(20_000, () => now);
  rested.isDue(isAnnounced);
  rested.record({ number: 1, hash: '0x01', timestamp: 1 }, true);
  const due = [10_000, restMs - 1, restMs, restMs + 1].map((time) => {
    now = time;
    return rested.isDue(isAnnounced);
  });
  expect(due).toEqual([false, false, true, false]);
});
