import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Chain } from '../../engine/chain/chain.ts';
import type { Fact, Hex } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { ChainWatch } from '../../engine/settlement/chain-watch.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { countingChain } from '../support/counting-chain.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

const START = 10_000;
const STARTED_AT = 2_000_000_000;
const facts = randomHistory({ seed: 9, steps: 60, campaigns: 2 });

let database: TestDatabase;
let fixture: SettleFixture;
let watch: ChainWatch;
let now: number;
/** Root of the contract's storage as of a block. */
let rootOf: (blockHash: Hex) => Hex | null;

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(facts);
  await fixture.settle();
  now = 0;
  watch = new ChainWatch(fixture.chain.restMs, () => now);
  rootOf = () => '0x01';
  await mine(0);
  await tick();
  await tick();
  now = 10_000;
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

/** A tick. @returns what it requested of the chain, without hashes. */
async function tick(): Promise<readonly string[]> {
  const requests: string[] = [];
  const withRoots: Chain = {
    ...fixture.chain,
    storageRoot: async (blockHash: Hex) => rootOf(blockHash),
  };
  const chain = countingChain(withRoots, (request) => requests.push(request));
  const queue = { push: async () => {} };
  const onChainError = (error: unknown) => {
    throw error;
  };
  await feed({ pool: fixture.pool, chain, queue, onChainError, watch });
  return requests;
}

/** Lets chain and indexer go on to an empty block. */
async function mine(blocks: number, blocksPerSecond = 8): Promise<void> {
  const number = START + blocks;
  const timestamp = STARTED_AT + Math.floor(blocks / blocksPerSecond);
  fixture.chain.setHead(number, timestamp);
  await fixture.table.setHead({ number, timestamp });
}

/** A fact in a block above the start. */
function factAt(blocks: number): Fact {
  const last = facts.at(-1);
  if (last === undefined) throw new Error('the history has facts');
  const timestamp = STARTED_AT + Math.floor(blocks / 8);
  const blockNumber = START + blocks;
  const id = String(timestamp) + last.id.slice(10, 26) + String(blockNumber).padStart(16, '0');
  const blockHash = hash(`with a fact ${blocks}`);
  return { ...last, id: id + last.id.slice(42), blockNumber, blockHash, timestamp };
}

const settled = async () => ((await readHeads(fixture.pool))?.settled?.number ?? 0) - START;

it('requests as much for 60 fast blocks in which nothing happened to the contract as for 5, and two more for 500', async () => {
  await mine(5);
  expect(await tick()).toEqual([
    `provenBlocks ${START + 5} ${START + 5}`,
    `blockAt ${START}`,
    ...['storageRoot', 'storageRoot', `logsOf ${START + 1} ${START + 5}`],
  ]);
  expect(await settled()).toBe(5);
  now = 15_000;
  await mine(65);
  expect(await tick()).toEqual([
    `provenBlocks ${START + 65} ${START + 65}`,
    `blockAt ${START + 5}`,
    ...['storageRoot', 'storageRoot', `logsOf ${START + 6} ${START + 65}`],
  ]);
  expect(await settled()).toBe(65);
  now = 19_500;
  await mine(565);
  expect(await tick()).toEqual([
    `provenBlocks ${START + 565} ${START + 565}`,
    `blockAt ${START + 65}`,
    // Those before the last 64 are checked by their logs alone, as ever.
    ...[`logsOf ${START + 66} ${START + 501}`, `blockAt ${START + 501}`],
    ...['storageRoot', 'storageRoot', `logsOf ${START + 502} ${START + 565}`],
  ]);
  expect(await settled()).toBe(565);
});

it.each([
  { what: 'the contract’s storage has changed', root: (blockHash: Hex) => blockHash },
  { what: 'the RPC does not say what the storage is', root: () => null },
])('checks fast blocks by their headers if $what', async ({ root }) => {
  rootOf = root;
  await mine(8);
  expect(await tick()).toContain(`provenBlocks ${START + 1} ${START + 7}`);
  expect(await settled()).toBe(8);
});

it('checks fast blocks by their headers if the range has a log, although the storage is as it was', async () => {
  const fact = factAt(4);
  fixture.chain.follow([fact]);
  await mine(12);
  expect(await tick()).toContain(`provenBlocks ${START + 1} ${START + 11}`);
  // The indexer does not have it.
  expect(await settled()).toBe(3);
  expect(await fixture.pool`select name from ledger.feeder_error`).toEqual([{ name: 'mismatch' }]);
});

it('checks blocks of a second or more by their headers', async () => {
  await mine(9, 1);
  expect(await tick()).toContain(`provenBlocks ${START + 1} ${START + 8}`);
});

it('lets fast blocks wait for four seconds', async () => {
  await tick();
  const asked: number[] = [];
  for (let i = 1; i < 40; i += 1) {
    now += 250;
    await mine(i);
    if ((await tick()).length > 0) asked.push(i);
  }
  // It begins some seconds after the last check.
  expect(asked).toEqual([1, 17, 33]);
  expect(await settled()).toBe(33);
});

it('checks fast blocks immediately if the indexer has a fact in them, or has gone back', async () => {
  await mine(8);
  await tick();
  now += 1_000;
  await mine(16);
  expect(await tick()).toEqual([]);
  const fact = factAt(12);
  fixture.chain.follow([fact]);
  await mine(16);
  await fixture.table.insert([fact]);
  expect(await tick()).toContain(`provenBlocks ${START + 9} ${START + 15}`);
  now += 1_000;
  await mine(15);
  expect(await tick()).toContain('head');
});
