import { afterAll, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';

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

const fixtures = new SettleFixtures();
afterAll(() => fixtures.close());

/** Settles the whole history with an ordinary finality, as before an outage. */
async function settledFixture(): Promise<SettleFixture> {
  const fixture = await fixtures.open();
  await fixture.index(facts, { finalized: head.number - FINALITY_BLOCKS });
  await fixture.settle();
  expect((await readHeads(fixture.pool))?.settled?.number).toBe(head.number);
  return fixture;
}

/** The history with other blocks from a height on, without the last of them. */
function forkedAt(from: number, name: string): Fact[] {
  return facts
    .filter(({ blockNumber }) => blockNumber < (blocks.at(-1) ?? 0))
    .map((fact) =>
      fact.blockNumber < from ? fact : { ...fact, blockHash: hash(`${name} ${fact.blockNumber}`) },
    );
}

/** Gives indexer and chain a fork with empty blocks after it, final far past the fork. */
async function comeBackTo(fixture: SettleFixture, fork: readonly Fact[]): Promise<number> {
  const number = head.number + OUTAGE_BLOCKS;
  const timestamp = head.timestamp + OUTAGE_BLOCKS;
  await fixture.table.removeFrom(0);
  await fixture.table.insert(fork);
  await fixture.table.setHead(
    { number, timestamp },
    { number: number - FINALITY_BLOCKS, timestamp },
  );
  fixture.chain.follow(fork);
  fixture.chain.setHead(number, timestamp);
  return number;
}

/** Settles, and lets the time pass after which a finalized fact counts as lost. */
async function settlePastGrace(fixture: SettleFixture): Promise<void> {
  for (let round = 0; round < 3; round += 1) {
    await fixture.settle();
    await fixture.pool`update ledger.cursor set missing_since = missing_since - interval '1 minute'`;
  }
}

async function stoppedReasons(fixture: SettleFixture): Promise<string[]> {
  const rows = await fixture.pool<{ reason: string }[]>`
    select stopped_reason as reason from ledger.cursor
    where stopped_at is not null order by campaign_id`;
  return rows.map(({ reason }) => reason);
}

async function expectEqualsFreshRun(fixture: SettleFixture, fork: readonly Fact[]): Promise<void> {
  const fresh = await fixtures.open();
  await comeBackTo(fresh, fork);
  await fresh.settle();
  expect(differences(await dumpLedger(fixture.pool), await dumpLedger(fresh.pool))).toEqual([]);
}

describe('a reorg during an outage that lasts longer than finality', () => {
  it('rolls back although the replaced blocks are below the present finality', async () => {
    const fixture = await settledFixture();
    const fork = forkedAt(forkBlock, 'fork');
    const number = await comeBackTo(fixture, fork);
    await settlePastGrace(fixture);
    expect(await stoppedReasons(fixture)).toEqual([]);
    const heads = await readHeads(fixture.pool);
    expect(heads?.settled?.number).toBe(number);
    expect(heads?.finalizedNumber).toBe(number - FINALITY_BLOCKS);
    await expectEqualsFreshRun(fixture, fork);
  });

  it('a reorg during an outage that lasts longer than finality never makes the replaced blocks final before they are rolled back', async () => {
    const fixture = await settledFixture();
    await comeBackTo(fixture, forkedAt(forkBlock, 'fork'));
    await fixture.tick();
    const heads = await readHeads(fixture.pool);
    expect(heads?.settled?.hash).toBe(last.blockHash);
    expect(heads?.finalizedNumber).toBe(head.number - FINALITY_BLOCKS);
  });

  it('ends where it began if the first chain wins after all', async () => {
    const fixture = await settledFixture();
    await comeBackTo(fixture, forkedAt(forkBlock, 'fork'));
    await fixture.settleOnce(1_000);
    const number = await comeBackTo(fixture, facts);
    await settlePastGrace(fixture);
    expect(await stoppedReasons(fixture)).toEqual([]);
    expect((await readHeads(fixture.pool))?.settled?.number).toBe(number);
    await expectEqualsFreshRun(fixture, facts);
  });

  it('stops the campaigns whose events the recorded final block has, and no other', async () => {
    const fixture = await settledFixture();
    const final = await fixture.tick().then(() => readHeads(fixture.pool));
    const deep = (final?.finalizedNumber ?? 0) - 5;
    const before = await dumpLedger(fixture.pool);
    await comeBackTo(fixture, forkedAt(deep, 'deep'));
    await settlePastGrace(fixture);
    const reasons = await stoppedReasons(fixture);
    expect(reasons.length).toBeGreaterThan(0);
    for (const reason of reasons) expect(reason).toContain('was final and has been replaced');
    const after = await dumpLedger(fixture.pool);
    for (const table of ['entry', 'sale_level']) {
      const [was, is] = [before[table] ?? [], after[table] ?? []];
      expect(was).not.toEqual([]);
      expect(differences({ [table]: was }, { [table]: is })).toEqual([]);
    }
  });

  it('makes nothing final while the chain does not have the recorded final block', async () => {
    const fixture = await settledFixture();
    const recorded = await readHeads(fixture.pool);
    await comeBackTo(fixture, forkedAt((recorded?.finalizedNumber ?? 0) - 5, 'deep'));
    await fixture.tick();
    expect(await readHeads(fixture.pool)).toMatchObject({
      finalizedNumber: recorded?.finalizedNumber,
      finalizedHash: recorded?.finalizedHash,
      finalizedReplaced: true,
    });
    await comeBackTo(fixture, facts);
    await settlePastGrace(fixture);
    expect(await stoppedReasons(fixture)).toEqual([]);
    expect((await readHeads(fixture.pool))?.finalizedReplaced).toBe(false);
  });

  it('leaves readable what was final, although another chain with fewer blocks is served in its place', async () => {
    const fixture = await settledFixture();
    const before = await readHeads(fixture.pool);
    const final = before?.finalizedNumber ?? 0;
    const fork = forkedAt(blocks[1] ?? 0, 'other').filter(({ blockNumber }) => blockNumber < final);
    const number = final - 10;
    await fixture.table.removeFrom(0);
    await fixture.table.insert(fork.filter(({ blockNumber }) => blockNumber <= number));
    const at = { number, timestamp: head.timestamp };
    await fixture.table.setHead(at, { number: number - FINALITY_BLOCKS, timestamp: at.timestamp });
    fixture.chain.follow(fork);
    fixture.chain.setHead(number, head.timestamp);
    // An RPC without that block may only be behind: nothing is decided.
    fixture.onChainError = () => {};
    await settlePastGrace(fixture);
    await fixture.tick();
    const after = await readHeads(fixture.pool);
    expect(after?.settled?.number).toBeGreaterThanOrEqual(final);
    expect(after?.finalizedNumber).toBe(final);
    const sales = await fixture.pool`
      select 1 from ledger.sale where block_number <= ${final} and campaign_id > 0`;
    const all = facts.filter(
      ({ name, blockNumber }) => name === 'SaleRecorded' && blockNumber <= final,
    );
    expect(sales).toHaveLength(all.length);
  });

  it('checks every fact again if it replaced even the final checked block', async () => {
    const fixture = await settledFixture();
    const { pool } = fixture;
    const final = async () => {
      const [row] = await pool<{ number: string; hash: string | null }[]>`
        select final_number as number, final_hash as hash from ledger.checked_head`;
      return row;
    };
    const before = await final();
    expect(before?.hash).toBe((await fixture.chain.blockAt(Number(before?.number)))?.hash);
    // The chain has replaced blocks that are final to the indexer, which cannot roll them back.
    fixture.chain.follow(forkedAt(Number(before?.number) - 5, 'deep'));
    fixture.chain.setHead(head.number + OUTAGE_BLOCKS, head.timestamp + OUTAGE_BLOCKS);
    await fixture.tick();
    const after = await final();
    expect(Number(after?.number)).toBeLessThan(Number(before?.number) - 5);
    const [error] = await pool<{ block: number }[]>`
      select block_number::int as block from ledger.feeder_error where name <> 'rpc'`;
    expect(error?.block).toBeGreaterThan(0);
    expect(error?.block).toBeLessThanOrEqual(Number(before?.number));
  });
});

describe('a fact that is missing from the indexer', () => {
  it('waits for a missing fact while the RPC is stuck on the replaced chain below the present finality', async () => {
    const fixture = await settledFixture();
    const stuck = fixture.chain.head;
    const stuckAt = fixture.chain.blockAt;
    const [oldHead, oldBlock] = [await stuck(), await stuckAt(head.number)];
    await comeBackTo(fixture, forkedAt(forkBlock, 'fork'));
    fixture.chain.head = async () => oldHead;
    fixture.chain.blockAt = async (number) =>
      number === head.number ? oldBlock : number > head.number ? null : await stuckAt(number);
    await settlePastGrace(fixture);
    expect(await stoppedReasons(fixture)).toEqual([]);
    fixture.chain.head = stuck;
    fixture.chain.blockAt = stuckAt;
    await settlePastGrace(fixture);
    expect(await stoppedReasons(fixture)).toEqual([]);
    await expectEqualsFreshRun(fixture, forkedAt(forkBlock, 'fork'));
  });

  it('waits for a missing fact if the oldest one is in a block that the chain still has', async () => {
    const fixture = await settledFixture();
    const before = await dumpLedger(fixture.pool);
    const fork = forkedAt(last.blockNumber, 'fork');
    await comeBackTo(fixture, fork);
    // The indexer has also lost a block that the chain still has: that is no reorg.
    await fixture.table.removeFrom(forkBlock);
    await fixture.table.setHead(
      { number: head.number + OUTAGE_BLOCKS, timestamp: head.timestamp + OUTAGE_BLOCKS },
      { number: 0, timestamp: 0 },
    );
    const campaign = facts.findLast(({ blockNumber }) => blockNumber === forkBlock)?.campaignId;
    await fixture.settle();
    const rows = await fixture.pool`
      select 1 from ledger.journal
      where campaign_id = ${campaign ?? ''} and block_number = ${forkBlock}`;
    expect(rows.length).toBeGreaterThan(0);
    expect(before.journal?.length).toBeGreaterThan(0);
  });
});
