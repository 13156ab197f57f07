import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RpcDisagreementError } from '../../engine/chain/quorum.ts';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { PushedJobs, settleCampaign } from '../support/settle-jobs.ts';

const facts = randomHistory({ seed: 34, steps: 160, campaigns: 2 });
const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
/** A block in the middle, with several logs. */
const broken = blocks
  .slice(blocks.length / 2)
  .find((number) => facts.filter(({ blockNumber }) => blockNumber === number).length > 2);
if (broken === undefined) throw new Error('the history has a block with several logs');
const inBlock = facts.filter(({ blockNumber }) => blockNumber === broken);
const [firstLog, secondLog] = inBlock;
if (firstLog === undefined || secondLog === undefined) throw new Error('there are two logs');
const head = facts.at(-1) ?? firstLog;

let database: TestDatabase;
let fixture: SettleFixture;

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
});

afterEach(async () => {
  await fixture.pool.end();
  await database.drop();
});

async function settledNumber(): Promise<number | undefined> {
  return (await readHeads(fixture.pool))?.settled?.number;
}

async function highestFolded(): Promise<number> {
  const [row] = await fixture.pool<{ n: string | null }[]>`
    select max(block_number) as n from ledger.journal`;
  return Number(row?.n ?? -1);
}

async function feederErrors(): Promise<{ name: string; block: number | null; message: string }[]> {
  return await fixture.pool`
    select name, block_number::int as block, message from ledger.feeder_error order by name`;
}

/** The chain has all facts; the indexer, what a wrong answer left it. */
async function indexWrongly(indexed: readonly Fact[], finalized = 0): Promise<void> {
  await fixture.index(facts, { finalized });
  await fixture.table.removeFrom(0);
  await fixture.table.insert(indexed);
}

/** `orphan`: the facts are of a block that the chain does not have, which is lag until it is final. */
const wrong: { name: string; indexed: readonly Fact[]; says: string; orphan?: true }[] = [
  { name: 'a log', indexed: facts.filter((fact) => fact !== secondLog), says: 'does not have' },
  {
    name: 'all logs of a block',
    indexed: facts.filter(({ blockNumber }) => blockNumber !== broken),
    says: `and ${inBlock.length - 1} more`,
  },
  {
    name: 'everything from a block on',
    indexed: facts.filter(({ blockNumber }) => blockNumber < broken),
    says: 'does not have',
  },
];

const added: typeof wrong = [
  {
    name: 'a log that the chain does not have',
    indexed: [...facts, later(firstLog, { logIndex: 900 })],
    says: 'has what the chain does not have',
  },
  {
    name: 'a log twice, the second under another campaign',
    indexed: [...facts, { ...firstLog, campaignId: '77' }],
    says: 'has what the chain does not have',
  },
  {
    name: 'a log of another block hash',
    indexed: facts.map((fact) =>
      fact === secondLog ? { ...fact, blockHash: hash('elsewhere') } : fact,
    ),
    says: 'has of another block',
    orphan: true,
  },
  {
    name: 'a log of another transaction',
    indexed: facts.map((fact) =>
      fact === secondLog ? { ...fact, transactionHash: hash('elsewhere') } : fact,
    ),
    says: 'has what the chain does not have',
  },
];

function later(fact: Fact, change: { logIndex: number }): Fact {
  const id = fact.id.slice(0, -16) + String(change.logIndex).padStart(16, '0');
  return { ...fact, ...change, id };
}

describe.each([
  { near: 'near the head, by headers and receipts', finalized: 0, depth: 10_000 },
  { near: 'in old blocks, by eth_getLogs', finalized: head.blockNumber, depth: 0 },
])('an indexer that received wrong logs $near', ({ finalized, depth }) => {
  it.each([...wrong, ...added])(
    'settles nothing from the block of $name on until the indexer is right',
    async ({ indexed, says, orphan }) => {
      Object.assign(fixture.chain, { provenDepth: depth });
      await indexWrongly(indexed, finalized);
      await fixture.settle();
      expect(await highestFolded()).toBe(blocks.filter((number) => number < broken).at(-1));
      expect(await settledNumber()).toBe(broken - 1);
      const [error, ...others] = await feederErrors();
      expect(others).toEqual([]);
      const isLag = orphan === true && finalized < broken;
      expect(error).toMatchObject({ name: isLag ? 'orphaned' : 'mismatch', block: broken });
      expect(error?.message).toContain(isLag ? 'that the chain has replaced' : says);

      // When the indexer agrees again, settlement continues automatically.
      await fixture.table.removeFrom(0);
      await fixture.table.insert(facts);
      await fixture.settle();
      expect(await settledNumber()).toBe(head.blockNumber);
      expect(await feederErrors()).toEqual([]);
      const healed = await dumpLedger(fixture.pool);
      expect(healed.journal?.length).toBe(facts.length);
    },
  );
});

describe('a fact that comes or goes after its block was checked', () => {
  /** Everything checked, nothing folded. */
  async function checkOnly(): Promise<void> {
    await fixture.index(facts);
    const { pool, chain } = fixture;
    await feed({ pool, chain, queue: { push: async () => {} }, onChainError: rethrow });
  }

  it('raises an alarm while a fact is gone, and settles when it is back', async () => {
    await checkOnly();
    const { table } = fixture;
    await table.remove([secondLog]);
    await fixture.settle();
    expect(await settledNumber()).toBe(broken - 1);
    expect(await feederErrors()).toMatchObject([{ name: 'mismatch', block: broken }]);
    await table.insert([secondLog]);
    await fixture.settle();
    expect(await settledNumber()).toBe(head.blockNumber);
    expect(await feederErrors()).toEqual([]);
  });

  it('folds neither a fact that came later nor those after it in its campaign', async () => {
    await checkOnly();
    const extra = later(secondLog, { logIndex: 900 });
    await fixture.table.insert([extra]);
    await fixture.settle();
    const rows = await fixture.pool`
      select 1 from ledger.journal where campaign_id = ${extra.campaignId}
        and (block_number, log_index) >= (${extra.blockNumber}, ${extra.logIndex})`;
    expect(rows).toHaveLength(0);
    expect(await settledNumber()).toBeLessThanOrEqual(broken);
  });

  it('folds no fact of a reorg between check and fold before it is checked again', async () => {
    await checkOnly();
    const fork = facts.map((fact) =>
      fact.blockNumber < broken ? fact : { ...fact, blockHash: hash(`fork ${fact.blockNumber}`) },
    );
    // The table has the new blocks already; the check was of the old ones.
    await fixture.table.removeFrom(broken);
    await fixture.table.insert(fork.filter(({ blockNumber }) => blockNumber >= broken));
    const { pool, chain } = fixture;
    for (const campaignId of ['1', '2']) {
      await settleCampaign({ pool, chain, keccak256: keccak, batchSize: 1_000 }, campaignId);
    }
    expect(await highestFolded()).toBeLessThan(broken);
    await fixture.index(fork.filter(({ blockNumber }) => blockNumber >= broken));
    await fixture.settle();
    expect(await settledNumber()).toBe(head.blockNumber);
    const [row] = await pool<{ n: number }[]>`
      select count(*)::int as n from ledger.journal where block_hash = ${hash(`fork ${broken}`)}`;
    expect(row?.n).toBe(inBlock.length);
  });
});

describe('an indexer that is still on blocks that the chain has replaced', () => {
  it('reports the indexer as behind, and not as wrong, even if it only lacks logs', async () => {
    // The replaced block had no logs; the one in its place, of another time, has.
    const shown = facts.filter(({ blockNumber }) => blockNumber !== head.blockNumber);
    await fixture.index(facts);
    await fixture.table.removeFrom(0);
    await fixture.table.insert(shown);
    await fixture.table.setHead({ number: head.blockNumber, timestamp: head.timestamp - 1 });
    await fixture.settle();
    expect(await feederErrors()).toMatchObject([{ name: 'orphaned', block: head.blockNumber }]);
    await fixture.table.setHead({ number: head.blockNumber, timestamp: head.timestamp });
    await fixture.settle();
    expect(await feederErrors()).toMatchObject([{ name: 'mismatch', block: head.blockNumber }]);
  });
});

describe('a chain that does not answer, or contradicts itself', () => {
  it.each([
    { error: new Error('no answer'), name: 'rpc' },
    { error: new RpcDisagreementError('2 RPCs gave 2 answers'), name: 'disagreement' },
  ])('settles nothing and says so: $name', async ({ error, name }) => {
    await fixture.index(facts);
    const { pool, chain } = fixture;
    const { provenBlocks } = chain;
    chain.provenBlocks = () => Promise.reject(error);
    const queue = new PushedJobs();
    await feed({ pool, chain, queue, onChainError: () => {} });
    expect(queue.jobs).toEqual([]);
    expect(await settledNumber()).toBeLessThan(blocks[0] ?? 0);
    expect(await feederErrors()).toMatchObject([{ name, block: null }]);
    chain.provenBlocks = provenBlocks;
    await fixture.settle();
    expect(await settledNumber()).toBe(head.blockNumber);
    expect(await feederErrors()).toEqual([]);
  });
});

describe('whatever facts are hidden from the indexer', () => {
  const whole = { dump: {} as Awaited<ReturnType<typeof dumpLedger>> };
  let reference: SettleFixture;
  let referenceDatabase: TestDatabase;

  beforeAll(async () => {
    referenceDatabase = await createTestDatabase();
    reference = await SettleFixture.open(referenceDatabase.url);
    await reference.index(facts);
    await reference.settle();
    whole.dump = await dumpLedger(reference.pool);
  });
  afterAll(async () => {
    await reference.pool.end();
    await referenceDatabase.drop();
  });

  it('settles nothing at or above the first of them, and recovers', async () => {
    let finalized = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.nat(facts.length - 1), { minLength: 1, maxLength: 6 }),
        fc.nat(head.blockNumber),
        fc.integer({ min: 1, max: 200 }),
        async (hidden, final, batchSize) => {
          finalized = final;
          Object.assign(fixture.chain, { provenDepth: final % 50 });
          await reset();
          await indexWrongly(
            facts.filter((_, i) => !hidden.includes(i)),
            finalized,
          );
          await fixture.settle(batchSize);
          const first = facts[Math.min(...hidden)]?.blockNumber ?? 0;
          expect(await settledNumber()).toBeLessThan(first);
          expect(await highestFolded()).toBeLessThan(first);
          await fixture.table.insert(facts.filter((_, i) => hidden.includes(i)));
          await fixture.settle(batchSize);
          expect(differences(whole.dump, await dumpLedger(fixture.pool))).toEqual([]);
        },
      ),
      { numRuns: 6, endOnFailure: true },
    );
  }, 240_000);

  /** An empty ledger, and an indexer and a chain that know nothing. */
  async function reset(): Promise<void> {
    const { pool } = fixture;
    const tables = await pool<{ name: string }[]>`
      select tablename as name from pg_tables
      where schemaname = 'ledger' and tablename not in ('head', 'deployment')`;
    for (const { name } of tables) await pool`truncate ${pool(`ledger.${name}`)} cascade`;
    await pool`update ledger.head set settled_number = null, settled_hash = null,
      settled_timestamp = null, indexed_number = null, chain_number = null, finalized_number = null`;
  }
});

function rethrow(error: unknown): never {
  throw error;
}
