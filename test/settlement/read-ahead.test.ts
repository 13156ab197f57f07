import postgres from 'postgres';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { ReadAhead } from '../../engine/settlement/read-ahead.ts';
import type { BatchResult } from '../../engine/settlement/settle-campaigns.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak, type LedgerDump } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleCampaign } from '../support/settle-jobs.ts';

const BATCH = 40;
const CAMPAIGN = '1';

let database: TestDatabase;
let fixture: SettleFixture;
let facts: Fact[];
let pool: Pool;
let readAhead: ReadAhead;
let statements: string[];

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 57, steps: 700, campaigns: 1 });
  statements = [];
  pool = postgres(database.url, {
    max: 2,
    onnotice: () => {},
    debug: (_connection, query) => statements.push(query),
  });
  readAhead = new ReadAhead();
});

afterEach(async () => {
  await pool?.end();
  await fixture?.pool.end();
  await database?.drop();
});

/** Indexes and checks the facts, and settles nothing. @param final the last block that no reorg replaces. */
async function indexed(final = lastBlock(facts)): Promise<void> {
  await fixture.index(facts, { finalized: final });
  await fixture.tick();
}

function lastBlock(some: readonly Fact[]): number {
  return some.at(-1)?.blockNumber ?? 0;
}

function settle(): Promise<BatchResult> {
  const options = { pool, chain: fixture.chain, keccak256: keccak, batchSize: BATCH, readAhead };
  return settleCampaign(options, CAMPAIGN);
}

/** Settles batch by batch until nothing is left. @returns the number of batches. */
async function settleAll(): Promise<number> {
  for (let batches = 1; batches < 1_000; batches += 1) {
    if (!(await settle()).hitLimit) return batches;
  }
  throw new Error('the ledger does not come to rest');
}

/** Batches that were loaded: for a prepared one that is not used, the campaign is loaded twice. */
function loads(): number {
  return statements.filter((text) => /select \* from ledger\.policy where/.test(text)).length;
}

/** The ledger of a run over the facts in which nothing is prepared. */
async function plainDump(): Promise<LedgerDump> {
  const other = await createTestDatabase();
  const plain = await SettleFixture.open(other.url);
  try {
    await plain.index(facts, { finalized: lastBlock(facts) });
    await plain.settle();
    return await dumpLedger(plain.pool);
  } finally {
    await plain.pool.end();
    await other.drop();
  }
}

/** Lets the feeder do the rest, as in a run without preparing, and compares all rows. */
async function expectPlainLedger(): Promise<void> {
  await fixture.settle();
  expect(differences(await plainDump(), await dumpLedger(fixture.pool))).toEqual([]);
  expect(await auditLedger(fixture.pool)).toEqual([]);
}

describe('a batch that is prepared while the previous one is written', () => {
  it('leaves the same rows as a batch that is read under the lock', async () => {
    await indexed();
    const batches = await settleAll();
    expect(batches).toBeGreaterThan(10);
    // The first batch finds no campaign to load, so nothing can be prepared on top of it; the last is not full.
    expect(loads()).toBeLessThanOrEqual(batches + 1);
    await expectPlainLedger();
  });

  it('gives way to a new read if the batch before it was rolled back', async () => {
    await indexed();
    for (let batch = 0; batch < 4; batch += 1) expect((await settle()).events).toBe(BATCH);
    await fixture.pool.unsafe(`
      create function fail() returns trigger language plpgsql as
        $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$;
      create trigger fail before insert on ledger.entry for each row execute function fail();`);
    await expect(settle()).rejects.toThrow('no room');
    await fixture.pool`drop function fail() cascade`;
    const [row] = await fixture.pool<{ seq: string }[]>`select seq from ledger.cursor`;
    expect(row?.seq).toBe(String(4 * BATCH));
    await settleAll();
    await expectPlainLedger();
  });

  it('gives way to a new read if another worker settled a batch in between', async () => {
    await indexed();
    for (let batch = 0; batch < 4; batch += 1) await settle();
    const options = { pool: fixture.pool, chain: fixture.chain, keccak256: keccak };
    expect((await settleCampaign({ ...options, batchSize: 7 }, CAMPAIGN)).events).toBe(7);
    await settleAll();
    await expectPlainLedger();
  });

  it('gives way to a new read if a transaction wrote the cursor without moving it, as a replay does', async () => {
    await indexed();
    for (let batch = 0; batch < 4; batch += 1) await settle();
    // Balances that the prepared batch was not folded from: entries that continue them show which were used.
    await fixture.pool.begin(async (sql) => {
      await sql`update ledger.cursor set seq = seq`;
      await sql`update ledger.bucket set claimed = claimed + 5`;
    });
    await settle();
    const [row] = await fixture.pool<{ continued: number }[]>`
      select count(*)::int as continued from ledger.entry e
      where seq > ${4 * BATCH} and claimed_after = 5 + (
        select coalesce(sum(amount), 0) from ledger.entry
        where account = e.account and kind = 'claim' and (seq, ordinal) <= (e.seq, e.ordinal)
      )`;
    expect(row?.continued).toBeGreaterThan(0);
  });

  it('gives way to a new read if the indexer has lost one of its facts', async () => {
    await indexed();
    for (let batch = 0; batch < 4; batch += 1) await settle();
    const from = facts[4 * BATCH + BATCH / 2]?.blockNumber ?? 0;
    await fixture.table.removeFrom(from);
    await settle();
    const [row] = await fixture.pool<{ newest: string }[]>`
      select max(block_number) as newest from ledger.journal`;
    expect(Number(row?.newest)).toBeLessThan(from);
    await fixture.table.insert(facts.filter(({ blockNumber }) => blockNumber >= from));
    await expectPlainLedger();
  });

  it('holds no facts that a reorg can replace', async () => {
    const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
    await indexed(middle - 1);
    let prepared = 0;
    for (let more = true; more; ) {
      more = (await settle()).hitLimit;
      const next = await readAhead.take();
      if (next === undefined) continue;
      prepared += 1;
      expect(lastBlock(next.facts)).toBeLessThan(middle);
    }
    expect(prepared).toBeGreaterThan(2);
    const before = facts;
    facts = [
      ...before.filter(({ blockNumber }) => blockNumber < middle),
      ...before
        .filter(({ blockNumber }) => blockNumber >= middle)
        .map((fact) => ({ ...fact, blockHash: `0x${'9'.repeat(64)}` as const })),
    ];
    await fixture.index(facts.filter(({ blockNumber }) => blockNumber >= middle));
    await fixture.settle();
    await settleAll();
    await fixture.table.setHead(headOf(facts), headOf(facts));
    await expectPlainLedger();
  });
});

function headOf(some: readonly Fact[]): { number: number; timestamp: number } {
  const last = some.at(-1);
  return { number: last?.blockNumber ?? 0, timestamp: last?.timestamp ?? 0 };
}
