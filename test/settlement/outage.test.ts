import { afterAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import type { SettleBench } from '../support/settle-bench.ts';
import { SettleBenches } from '../support/settle-benches.ts';

const facts = randomHistory({ seed: 41, steps: 200, campaigns: 3 });
const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];
const last = facts.at(-1);
if (last === undefined) throw new Error('the history has facts');
const head = { number: last.blockNumber, timestamp: last.timestamp };
/** The second newest block with facts: a reorg of two replaces it. */
const forkBlock = blocks.at(-2) ?? 0;
/** Blocks that the chain grows by while the deployment is down: more than any finality here. */
const OUTAGE_BLOCKS = 100;
/** How far behind its head the indexer calls a block final. */
const FINALITY_BLOCKS = 30;

const benches = new SettleBenches();
afterAll(() => benches.close());

/** Settles the whole history with an ordinary finality, as before an outage. */
async function settledBench(): Promise<SettleBench> {
  const bench = await benches.open();
  await bench.index(facts, { finalized: head.number - FINALITY_BLOCKS });
  await bench.settle();
  expect((await readHeads(bench.pool))?.settled?.number).toBe(head.number);
  return bench;
}

/** The same history with other blocks from a height on, the last of them left out. */
function forkedAt(from: number, name: string): Fact[] {
  return facts
    .filter(({ blockNumber }) => blockNumber < (blocks.at(-1) ?? 0))
    .map((fact) =>
      fact.blockNumber < from ? fact : { ...fact, blockHash: hash(`${name} ${fact.blockNumber}`) },
    );
}

/** Gives indexer and chain a fork with empty blocks after it, final far past the fork. */
async function comeBackTo(bench: SettleBench, fork: readonly Fact[]): Promise<number> {
  const number = head.number + OUTAGE_BLOCKS;
  const timestamp = head.timestamp + OUTAGE_BLOCKS;
  await bench.table.removeFrom(0);
  await bench.table.insert(fork);
  await bench.table.setHead({ number, timestamp }, { number: number - FINALITY_BLOCKS, timestamp });
  bench.chain.follow(fork);
  bench.chain.setHead(number, timestamp);
  return number;
}

/** Settles, and lets the time pass after which a finalized fact counts as lost. */
async function settlePastGrace(bench: SettleBench): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await bench.settle();
    await bench.pool`update ledger.cursor set missing_since = missing_since - interval '1 minute'`;
  }
}

async function stoppedReasons(bench: SettleBench): Promise<string[]> {
  const rows = await bench.pool<{ reason: string }[]>`
    select stopped_reason as reason from ledger.cursor
    where stopped_at is not null order by campaign_id`;
  return rows.map(({ reason }) => reason);
}

async function expectEqualsFreshRun(bench: SettleBench, fork: readonly Fact[]): Promise<void> {
  const fresh = await benches.open();
  await comeBackTo(fresh, fork);
  await fresh.settle();
  expect(differences(await dumpLedger(bench.pool), await dumpLedger(fresh.pool))).toEqual([]);
}

describe('a reorg during an outage that lasts longer than finality', () => {
  it('is rolled back although the replaced blocks lie below the finality of today', async () => {
    const bench = await settledBench();
    const fork = forkedAt(forkBlock, 'fork');
    const number = await comeBackTo(bench, fork);
    await settlePastGrace(bench);
    expect(await stoppedReasons(bench)).toEqual([]);
    const heads = await readHeads(bench.pool);
    expect(heads?.settled?.number).toBe(number);
    expect(heads?.finalizedNumber).toBe(number - FINALITY_BLOCKS);
    await expectEqualsFreshRun(bench, fork);
  });

  it('never makes the replaced blocks final before they are rolled back', async () => {
    const bench = await settledBench();
    await comeBackTo(bench, forkedAt(forkBlock, 'fork'));
    await bench.look();
    const heads = await readHeads(bench.pool);
    expect(heads?.settled?.hash).toBe(last.blockHash);
    expect(heads?.finalizedNumber).toBe(head.number - FINALITY_BLOCKS);
  });

  it('ends where it began if the first chain wins after all', async () => {
    const bench = await settledBench();
    await comeBackTo(bench, forkedAt(forkBlock, 'fork'));
    await bench.settleOnce(1_000);
    const number = await comeBackTo(bench, facts);
    await settlePastGrace(bench);
    expect(await stoppedReasons(bench)).toEqual([]);
    expect((await readHeads(bench.pool))?.settled?.number).toBe(number);
    await expectEqualsFreshRun(bench, facts);
  });

  it('stops the campaigns whose events the recorded final block has, and no other', async () => {
    const bench = await settledBench();
    const final = await bench.look().then(() => readHeads(bench.pool));
    const deep = (final?.finalizedNumber ?? 0) - 5;
    const before = await dumpLedger(bench.pool);
    await comeBackTo(bench, forkedAt(deep, 'deep'));
    await settlePastGrace(bench);
    const reasons = await stoppedReasons(bench);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toContain('was final and has been replaced');
    const after = await dumpLedger(bench.pool);
    expect(differences({ entry: before.entry ?? [] }, { entry: after.entry ?? [] })).toEqual([]);
  });

  it('makes nothing final while the chain does not have the recorded final block', async () => {
    const bench = await settledBench();
    const recorded = await readHeads(bench.pool);
    await comeBackTo(bench, forkedAt((recorded?.finalizedNumber ?? 0) - 5, 'deep'));
    await bench.look();
    expect(await readHeads(bench.pool)).toMatchObject({
      finalizedNumber: recorded?.finalizedNumber,
      finalizedHash: recorded?.finalizedHash,
      finalizedReplaced: true,
    });
    await comeBackTo(bench, facts);
    await settlePastGrace(bench);
    expect(await stoppedReasons(bench)).toEqual([]);
    expect((await readHeads(bench.pool))?.finalizedReplaced).toBe(false);
  });

  it('checks every fact again if it replaced even the final checked block', async () => {
    const bench = await settledBench();
    const { pool } = bench;
    const final = async () => {
      const [row] = await pool<{ number: string; hash: string | null }[]>`
        select final_number as number, final_hash as hash from ledger.checked_head`;
      return row;
    };
    const before = await final();
    expect(before?.hash).toBe((await bench.chain.blockAt(Number(before?.number)))?.hash);
    // The chain went another way, and the indexer, which cannot take back what is final to it, did not.
    bench.chain.follow(forkedAt(Number(before?.number) - 5, 'deep'));
    bench.chain.setHead(head.number + OUTAGE_BLOCKS, head.timestamp + OUTAGE_BLOCKS);
    await bench.look();
    const after = await final();
    expect(Number(after?.number)).toBeLessThan(Number(before?.number) - 5);
    const [trouble] = await pool<{ block: number }[]>`
      select block_number::int as block from ledger.trouble where name <> 'rpc'`;
    expect(trouble?.block).toBeGreaterThan(0);
    expect(trouble?.block).toBeLessThanOrEqual(Number(before?.number));
  });
});

describe('a fact that is missing from the indexer', () => {
  it('is waited for while the RPC is stuck on the replaced chain below the finality of today', async () => {
    const bench = await settledBench();
    const stuck = bench.chain.head;
    const stuckAt = bench.chain.blockAt;
    const [oldHead, oldBlock] = [await stuck(), await stuckAt(head.number)];
    await comeBackTo(bench, forkedAt(forkBlock, 'fork'));
    bench.chain.head = async () => oldHead;
    bench.chain.blockAt = async (number) =>
      number === head.number ? oldBlock : number > head.number ? null : await stuckAt(number);
    await settlePastGrace(bench);
    expect(await stoppedReasons(bench)).toEqual([]);
    bench.chain.head = stuck;
    bench.chain.blockAt = stuckAt;
    await settlePastGrace(bench);
    expect(await stoppedReasons(bench)).toEqual([]);
    await expectEqualsFreshRun(bench, forkedAt(forkBlock, 'fork'));
  });

  it('is waited for if the oldest missing event lies in a block that the chain still has', async () => {
    const bench = await settledBench();
    const before = await dumpLedger(bench.pool);
    const fork = forkedAt(last.blockNumber, 'fork');
    await comeBackTo(bench, fork);
    // The indexer has also lost a block that the chain still has: that is no reorg.
    await bench.table.removeFrom(forkBlock);
    await bench.table.setHead(
      { number: head.number + OUTAGE_BLOCKS, timestamp: head.timestamp + OUTAGE_BLOCKS },
      { number: 0, timestamp: 0 },
    );
    const campaign = facts.findLast(({ blockNumber }) => blockNumber === forkBlock)?.campaignId;
    await bench.settle();
    const rows = await bench.pool`
      select 1 from ledger.journal
      where campaign_id = ${campaign ?? ''} and block_number = ${forkBlock}`;
    expect(rows.length).toBeGreaterThan(0);
    expect(before.journal?.length).toBeGreaterThan(0);
  });
});
