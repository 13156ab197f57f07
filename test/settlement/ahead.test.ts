import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import type { Pool, Sql } from '../../engine/db/connection.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { AheadPause } from '../../engine/settlement/ahead-pause.ts';
import { ChainWatch } from '../../engine/settlement/chain-watch.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import type { FeederOptions, SettleHere } from '../../engine/settlement/tick.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
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

/** A leader that settles in its own process, and what it did. */
class Leader {
  readonly queue = new PushedJobs();
  readonly errors: unknown[] = [];
  /** Whether each of its batches was ahead of its check. */
  readonly batches: boolean[] = [];
  rolledBack = 0;
  /** Called in the transaction of a batch ahead of its check, after the check. */
  afterCheck: (sql: Sql) => Promise<void> = async () => {};
  readonly #watch = new ChainWatch(fixture.chain.restMs);
  readonly #options: FeederOptions;

  constructor(readonly pool: Pool = fixture.pool) {
    const settleHere: SettleHere = async (ids, { beforeCommit, ahead }) => {
      const check = async (sql: Sql) => {
        const agrees = (await ahead?.check(sql)) ?? false;
        await this.afterCheck(sql);
        return agrees;
      };
      const { chain } = fixture;
      this.batches.push(ahead !== undefined);
      const hooks = {
        ...(beforeCommit && { beforeCommit }),
        ...(ahead && { ahead: { ...ahead, check } }),
      };
      await settleCampaigns(
        { pool: this.pool, chain, keccak256: keccak, batchSize: 1_000, ...hooks },
        ids,
      );
      return true;
    };
    this.#options = {
      ...{ pool, chain: fixture.chain, queue: this.queue, watch: this.#watch, settleHere },
      ...{ seen: { schema: undefined }, sweep: { after: '-1' } },
      ahead: new AheadPause(() => {
        this.rolledBack += 1;
      }),
      onChainError: (error) => this.errors.push(error),
    };
  }

  async tick(): Promise<void> {
    await feed(this.#options);
  }

  /** A leader that has asked for the newest block, and found nothing wrong. */
  static async calm(pool?: Pool): Promise<Leader> {
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

/** Calls the work before the chain answers with its next block. @returns how often it was asked. */
function beforeAnswer(work: () => Promise<void>): { asked: number } {
  const { provenBlocks } = fixture.chain;
  const count = { asked: 0 };
  fixture.chain.provenBlocks = async (from, to) => {
    count.asked += 1;
    await work();
    return await provenBlocks(from, to);
  };
  return count;
}

/** Waits until a batch has written its rows, and waits for the chain. */
const untilFolded = () => setTimeout(120);

describe('a batch ahead of its check', () => {
  it('makes a new block readable in one tick and one transaction, asking the chain once', async () => {
    const leader = await Leader.calm();
    const count = beforeAnswer(untilFolded);
    await fixture.index(newest);
    await leader.tick();
    expect(leader).toMatchObject({ batches: [true], rolledBack: 0, errors: [] });
    expect(leader.queue.jobs).toEqual([]);
    expect(count.asked).toBe(1);
    await expectLedger(expected.after);
    const heads = await readHeads(fixture.pool);
    expect(heads?.settled).toMatchObject({ number: next, hash: first.blockHash });
    expect(heads).toMatchObject({ indexedNumber: next, chainNumber: next });
    const [row] = await fixture.pool<{ changes: number; transactions: number }[]>`
      select (select count(*)::int from ledger.change c join ledger.journal j
          on j.campaign_id = c.campaign_id and j.seq between c.from_seq and c.to_seq
          where j.block_number = ${next}) as changes,
        (select count(distinct xmin::text)::int from (
          select xmin from ledger.head union all select xmin from ledger.checked_head
          union all select xmin from ledger.journal where block_number = ${next}
        ) written) as transactions`;
    expect(row).toEqual({ changes: newest.length, transactions: 1 });
  });

  it('rolls back if the chain has other logs, and reports it', async () => {
    const leader = await Leader.calm();
    await fixture.index(newest);
    await fixture.table.insert([
      { ...first, id: `${first.id.slice(0, -3)}900`, logIndex: 900 } as Fact,
    ]);
    await leader.tick();
    expect(leader).toMatchObject({ batches: [true], rolledBack: 1 });
    await expectLedger(expected.before);
    expect(await settledNumber()).toBe(next - 1);
    expect(await fixture.pool`select name from ledger.trouble`).toEqual([{ name: 'mismatch' }]);
    await fixture.table.removeFrom(next);
    await fixture.table.insert(newest);
    await leader.tick();
    await expectLedger(expected.after);
  });

  it('stops no campaign because of facts that the chain does not have', async () => {
    const leader = await Leader.calm();
    await fixture.index(newest);
    await fixture.pool`
      update indexer_test.chain_event set name = 'NoSuchEvent', transaction_hash = ${hash('none')}
      where block_number = ${next}`;
    await leader.tick();
    expect(leader).toMatchObject({ batches: [true], rolledBack: 1 });
    const stopped = await fixture.pool`
      select 1 from ledger.cursor where stopped_at is not null or failures > 0`;
    expect(stopped).toEqual([]);
    await expectLedger(expected.before);
  });

  it('closes its transaction if the answer is late, and checks first', async () => {
    const leader = await Leader.calm();
    let open = 0;
    const count = beforeAnswer(async () => {
      await setTimeout(900);
      const [row] = await fixture.pool<{ open: number }[]>`
        select count(*)::int as open from pg_stat_activity
        where datname = current_database() and state = 'idle in transaction'`;
      open = row?.open ?? -1;
    });
    await fixture.index(newest);
    await leader.tick();
    expect(leader).toMatchObject({ batches: [true, false], rolledBack: 1, errors: [] });
    expect(count.asked).toBe(1);
    expect(open).toBe(0);
    await expectLedger(expected.after);
    expect(await settledNumber()).toBe(next);
  });

  it('rolls back if the chain does not answer', async () => {
    const leader = await Leader.calm();
    beforeAnswer(async () => {
      throw new Error('away');
    });
    await fixture.index(newest);
    await leader.tick();
    expect(leader.errors).not.toEqual([]);
    await expectLedger(expected.before);
    expect(await settledNumber()).toBe(next - 1);
  });

  it('folds the new fork if a reorg replaces the block between fold and check', async () => {
    const leader = await Leader.calm();
    const replaced = newest.map((fact) => ({ ...fact, blockHash: hash('another block') }));
    beforeAnswer(async () => {
      await untilFolded();
      await fixture.index(replaced);
    });
    await fixture.index(newest);
    await leader.tick();
    expect(leader).toMatchObject({ batches: [true, false], rolledBack: 1 });
    const hashes = await fixture.pool`
      select distinct block_hash from ledger.journal where block_number = ${next}`;
    expect(hashes).toEqual([{ block_hash: hash('another block') }]);
    expect((await readHeads(fixture.pool))?.settled?.hash).toBe(hash('another block'));
  });

  it('rolls back if the facts change between check and commit', async () => {
    const leader = await Leader.calm();
    leader.afterCheck = async () => {
      await fixture.table.removeFrom(next);
    };
    await fixture.index(newest);
    await leader.tick();
    expect(leader).toMatchObject({ rolledBack: 1 });
    await expectLedger(expected.before);
    expect(await settledNumber()).toBe(next - 1);
    await fixture.index(newest);
    await (await Leader.calm()).tick();
    await expectLedger(expected.after);
  });

  it('folds a block once if there are two leaders', async () => {
    const leaders = [await Leader.calm(), await Leader.calm()];
    beforeAnswer(untilFolded);
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
      const leader = await Leader.calm(process.pool);
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
