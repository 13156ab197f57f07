import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Pool } from '../../engine/db/connection.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { ChainWatch } from '../../engine/settlement/chain-watch.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import type { FeederOptions, SettleHere } from '../../engine/settlement/tick.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak, type LedgerDump } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { PushedJobs } from '../support/settle-jobs.ts';

const facts = randomHistory({ seed: 61, steps: 160, campaigns: 3 });
const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
/** A late block whose number follows that of the block before it. */
const next = blocks.findLast((number) => blocks.includes(number - 1)) ?? 0;
const older = facts.filter(({ blockNumber }) => blockNumber < next);
const newest = facts.filter(({ blockNumber }) => blockNumber === next);
const [first] = newest;
if (first === undefined) throw new Error('the history has two blocks in a row');

let expected: { readonly before: LedgerDump; readonly after: LedgerDump };

beforeAll(async () => {
  const database = await createTestDatabase();
  const fixture = await SettleFixture.open(database.url);
  await fixture.index(older);
  await fixture.settle();
  const before = await dumpLedger(fixture.pool);
  await fixture.index(newest);
  await fixture.settle();
  expected = { before, after: await dumpLedger(fixture.pool) };
  await fixture.pool.end();
  await database.drop();
});

let database: TestDatabase;
let fixture: SettleFixture;

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  await fixture.index(older);
  await fixture.settle();
});

afterEach(async () => {
  await fixture.pool.end();
  await database.drop();
});

/** A leader that settles in its own process. */
class Leader {
  readonly queue = new PushedJobs();
  readonly errors: unknown[] = [];
  batches = 0;
  readonly #watch = new ChainWatch(fixture.chain.restMs);
  readonly #options: FeederOptions;

  constructor(readonly pool: Pool = fixture.pool) {
    const settleHere: SettleHere = async (ids, beforeCommit) => {
      const { chain } = fixture;
      this.batches += 1;
      const settling = { pool: this.pool, chain, keccak256: keccak, batchSize: 1_000 };
      await settleCampaigns({ ...settling, beforeCommit }, ids);
      return true;
    };
    this.#options = {
      ...{ pool, chain: fixture.chain, queue: this.queue, watch: this.#watch, settleHere },
      ...{ seen: { schema: undefined }, sweep: { after: '-1' } },
      onChainError: (error) => this.errors.push(error),
    };
  }

  async tick(): Promise<void> {
    await feed(this.#options);
  }

  /** A leader that has asked for the newest block, and found nothing wrong. */
  static async healthy(pool?: Pool): Promise<Leader> {
    const leader = new Leader(pool);
    await leader.tick();
    return leader;
  }
}

async function settledNumber(): Promise<number | undefined> {
  return (await readHeads(fixture.pool))?.settled?.number;
}

async function expectLedger(dump: LedgerDump): Promise<void> {
  expect(differences(await dumpLedger(fixture.pool), dump)).toEqual([]);
}

describe('a leader that settles a new block itself', () => {
  it('makes it readable in one tick, and moves the settled block with its events', async () => {
    const leader = await Leader.healthy();
    const { provenBlocks } = fixture.chain;
    let asked = 0;
    fixture.chain.provenBlocks = async (from, to) => {
      asked += 1;
      return await provenBlocks(from, to);
    };
    await fixture.index(newest);
    await leader.tick();
    expect({ ...leader, asked }).toMatchObject({ batches: 1, errors: [], asked: 1 });
    expect(leader.queue.jobs).toEqual([]);
    await expectLedger(expected.after);
    const heads = await readHeads(fixture.pool);
    expect(heads?.settled).toMatchObject({ number: next, hash: first.blockHash });
    expect(heads).toMatchObject({ indexedNumber: next, chainNumber: next });
    const [row] = await fixture.pool<{ changes: number; transactions: number }[]>`
      select (select count(*)::int from ledger.change c join ledger.journal j
          on j.campaign_id = c.campaign_id and j.seq between c.from_seq and c.to_seq
          where j.block_number = ${next}) as changes,
        (select count(distinct xmin::text)::int from (
          select xmin from ledger.head
          union all select xmin from ledger.journal where block_number = ${next}
        ) written) as transactions`;
    expect(row).toEqual({ changes: newest.length, transactions: 1 });
  });

  it('folds a block once if there are two leaders', async () => {
    const leaders = [await Leader.healthy(), await Leader.healthy()];
    await fixture.index(newest);
    await Promise.all(leaders.map((leader) => leader.tick()));
    await leaders[0]?.tick();
    await expectLedger(expected.after);
    expect(await settledNumber()).toBe(next);
    const [row] = await fixture.pool<{ twice: number }[]>`
      select count(*)::int as twice from ledger.change a join ledger.change b
        using (campaign_id, kind) where a.sequence < b.sequence and b.from_seq <= a.to_seq`;
    expect(row?.twice).toBe(0);
  });

  it('leaves all or nothing if its leader is killed before any of its statements', async () => {
    const last = older.filter(({ blockNumber }) => blockNumber === next - 1);
    let died = 0;
    for (let isSettled = false; !isSettled; died += isSettled ? 0 : 1) {
      await fixture.index(last);
      const process = new MortalProcess(fixture.pool);
      const leader = await Leader.healthy(process.pool);
      await fixture.index(newest);
      process.dieBefore(KILL_STEP * died);
      await leader.tick().catch(() => {});
      isSettled = !process.isDead;
      await expectLedger(isSettled ? expected.after : expected.before);
      expect(await settledNumber()).toBe(isSettled ? next : next - 1);
    }
    // A batch has more statements than this.
    expect(died).toBeGreaterThan(10);
  }, 180_000);
});

/** Statements, and parts of statements, from one kill to the next. */
const KILL_STEP = 3;

// biome-ignore lint/suspicious/noExplicitAny: a tagged template of postgres.js, passed through.
type Template = (...args: any[]) => any;

/** A process that dies in a transaction: nothing of it reaches the database after that. */
class MortalProcess {
  isDead = false;
  readonly pool: Pool;
  #left = Number.POSITIVE_INFINITY;

  constructor(pool: Pool) {
    this.pool = new Proxy(pool, {
      apply: (target, self, args) => {
        this.#live();
        return Reflect.apply(target, self, args);
      },
      get: (target, name, receiver) => {
        if (name !== 'begin') return Reflect.get(target, name, receiver);
        return async (run: (sql: Template) => unknown) => {
          this.#live();
          return await target.begin((sql) => run(this.#dying(sql)));
        };
      },
    });
  }

  /** Dies before a statement of its transactions, counted from 0. */
  dieBefore(statement: number): void {
    this.#left = statement;
  }

  #live(): void {
    if (this.isDead) throw new Error('the process is dead');
  }

  #dying(sql: Template): Template {
    return new Proxy(sql, {
      apply: (target, self, args) => {
        if (Array.isArray(args[0]) && 'raw' in args[0]) this.isDead ||= this.#left-- <= 0;
        this.#live();
        return Reflect.apply(target, self, args);
      },
    });
  }
}
