import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { readHeads } from '../../engine/db/heads.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { HistoryBuilder } from '../http/support/facts.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

let database: TestDatabase;
let fixture: SettleFixture;
let facts: Fact[];

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 19, steps: 250, campaigns: 2 });
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

function head() {
  const last = facts.at(-1);
  if (last === undefined) throw new Error('the history has facts');
  return { number: last.blockNumber, timestamp: last.timestamp };
}

async function cursors(): Promise<{ seq: string; stopped: string | null; missing: boolean }[]> {
  return await fixture.pool`
    select seq, stopped_reason as stopped, missing_since is not null as missing
    from ledger.cursor order by campaign_id`;
}

describe('while the indexer recovers from a crash', () => {
  it('rolls nothing back, does not move the settled block, and continues when the rows are back', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const [before, heads] = [await dumpLedger(fixture.pool), await readHeads(fixture.pool)];
    const from = facts.at(-40)?.blockNumber ?? 0;

    // As measured: rows go and readiness with them, then the checkpoint falls, then all is back.
    await fixture.table.removeFrom(from);
    await fixture.table.setReady(false);
    await fixture.settle();
    await fixture.table.setHead({ number: from - 1, timestamp: head().timestamp - 60 });
    await fixture.settle();
    await fixture.table.setReady(true);
    await fixture.settle();
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
    expect((await readHeads(fixture.pool))?.settled).toEqual(heads?.settled);

    await fixture.table.insert(facts.filter((fact) => fact.blockNumber >= from));
    await fixture.table.setHead(head());
    await fixture.settle();
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
  });

  it('rolls nothing back for missing rows if the chain still has the block', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const before = await dumpLedger(fixture.pool);
    await fixture.table.removeFrom(facts.at(-20)?.blockNumber ?? 0);
    await fixture.settle();
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
  });
});

describe('a finalized fact that is missing', () => {
  it('stops its campaign after ten seconds, and says why; its rows stay', async () => {
    await fixture.index(facts, { finalized: head().number });
    await fixture.settle();
    const before = await dumpLedger(fixture.pool);
    const { pool, table } = fixture;
    const last = facts.at(-1);
    if (last === undefined) throw new Error('the history has facts');
    await table.remove([last]);
    await fixture.settle();
    expect((await cursors()).map(({ missing }) => missing)).toContain(true);
    await pool`update ledger.cursor set missing_since = missing_since - interval '11 seconds'`;
    await fixture.settle();
    const [stopped] = (await cursors()).filter(({ stopped }) => stopped !== null);
    expect(stopped?.stopped).toContain(`log ${last.logIndex} of block ${last.blockNumber} `);
    expect(stopped?.stopped).toContain('the chain still has that block');
    expect((await cursors()).filter(({ stopped }) => stopped !== null)).toHaveLength(1);
    const after = await dumpLedger(pool);
    for (const table of ['entry', 'sale_level']) {
      const [was, is] = [before[table] ?? [], after[table] ?? []];
      expect(was).not.toEqual([]);
      expect(differences({ [table]: was }, { [table]: is })).toEqual([]);
    }
  });
});

describe('a fact that cannot be folded', () => {
  it('stops its own campaign with the reason, and no other', async () => {
    const [broken] = facts.filter(({ name }) => name === 'CampaignCreated');
    await fixture.index(facts.filter((fact) => fact !== broken));
    await fixture.settle();
    const [first, second] = await cursors();
    expect(first?.stopped).toContain('START_BLOCK is after its creation');
    expect(second?.stopped).toBeNull();
    expect(Number(second?.seq)).toBeGreaterThan(10);
  });
});

describe('a chain that lies', () => {
  it('shows a discrepancy of one unit, and the ledger still adds up', async () => {
    const at = facts.findIndex(
      (fact) => fact.name === 'SaleRecorded' && (fact.args.shares[0] ?? 0n) > 0n,
    );
    const forged = facts[at];
    if (forged?.name !== 'SaleRecorded') throw new Error('the history has a sale with shares');
    const [share = 0n, ...rest] = forged.args.shares;
    const lied = { ...forged, args: { ...forged.args, shares: [share + 1n, ...rest] } };
    await fixture.index(facts.map((fact) => (fact === forged ? lied : fact)));
    await fixture.settle();
    const rows = await fixture.pool`
      select kind, sale_id, level, expected, actual from ledger.discrepancy order by seq, ordinal`;
    expect(rows[0]).toMatchObject({
      kind: 'SHARE',
      sale_id: forged.args.saleId,
      level: 1,
      expected: String(share),
      actual: String(share + 1n),
    });
    expect(await auditLedger(fixture.pool)).toEqual([]);
  });
});

describe('finality', () => {
  it('follows the tags of a chain that has them, and stays while the chain does not answer', async () => {
    const heads = async () => {
      const { pool, chain } = fixture;
      await feed({ pool, chain, queue: { push: async () => {} }, onChainError: () => {} });
      const read = await readHeads(pool);
      return { safe: read?.safeNumber, finalized: read?.finalizedNumber };
    };
    await fixture.index(facts, { finalized: 130 });
    await fixture.settle();
    await fixture.pool`update ledger.head set safe_number = null, finalized_number = null`;
    fixture.chain.finality = async () => ({ safe: 115, finalized: 105 });
    expect(await heads()).toEqual({ safe: 115, finalized: 105 });
    fixture.chain.finality = async () => {
      throw new Error('no answer');
    };
    expect(await heads()).toEqual({ safe: 115, finalized: 105 });
    // A chain that has returned its finalized block has the tag: without it nothing is known, also after a restart.
    fixture.chain.finality = async () => ({ safe: null, finalized: null });
    expect(await heads()).toEqual({ safe: 115, finalized: 105 });
    fixture.chain.finality = async () => ({ safe: 120, finalized: 110 });
    expect(await heads()).toEqual({ safe: 120, finalized: 110 });
  });

  it('takes the indexer’s own on a chain that never had the tags', async () => {
    await fixture.index(facts, { finalized: 130 });
    await fixture.settle();
    const { pool, chain } = fixture;
    await pool`update ledger.head set safe_number = null, finalized_number = null`;
    await pool`delete from ledger.finality_tag`;
    await feed({ pool, chain, queue: { push: async () => {} }, onChainError: () => {} });
    expect(await readHeads(pool)).toMatchObject({ safeNumber: 130, finalizedNumber: 130 });
  });
});

describe('the clock', () => {
  it('moves levels whose hold is over, and moves them back when a reorg turns the clock back', async () => {
    const sale = facts.findLast((fact) => fact.name === 'SaleRecorded');
    if (sale?.name !== 'SaleRecorded') throw new Error('the history has a sale');
    const upToSale = facts.slice(0, facts.indexOf(sale) + 1);
    await fixture.index(upToSale);
    await fixture.settle();
    const early = await buckets();
    expect(early.atRisk).toBeGreaterThan(0n);

    // Blocks without events: only time passes.
    const late = { number: sale.blockNumber + 1, timestamp: sale.args.holdUntil };
    await fixture.table.setHead(late);
    fixture.chain.setHead(late.number, late.timestamp);
    await fixture.settle();
    const due = await buckets();
    expect(due.atRisk).toBe(0n);
    expect(due.ready).toBe(early.atRisk + early.ready);
    expect(await auditLedger(fixture.pool)).toEqual([]);

    // A reorg of that empty block: the head is another, with a younger clock.
    const young = { number: late.number, timestamp: sale.timestamp + 1 };
    await fixture.table.setHead(young);
    fixture.chain.setHead(young.number, young.timestamp, hash('another block'));
    await fixture.settle();
    expect(await buckets()).toEqual(early);
    expect(await auditLedger(fixture.pool)).toEqual([]);
  });
});

describe('the clock of a campaign whose only sale has no link', () => {
  it('moves at the end of the hold, and changes no other row', async () => {
    const history = new HistoryBuilder();
    history.create('1');
    history.schedule('1');
    history.fund('1', 1_000_000n);
    history.nextBlock();
    const holdUntil = history.time + 600;
    history.sell('1', '1', { pool: 0n, shares: [], holdUntil });
    await fixture.index(history.facts);
    await fixture.settle();
    const [before, dump] = [await clocks(), await dumpLedger(fixture.pool)];
    expect(before).toEqual([{ clock: expect.any(String), next: String(holdUntil) }]);

    const late = { number: (history.facts.at(-1)?.blockNumber ?? 0) + 1, timestamp: holdUntil };
    await fixture.table.setHead(late);
    fixture.chain.setHead(late.number, late.timestamp);
    await fixture.settle();
    expect(await clocks()).toEqual([{ clock: String(holdUntil), next: null }]);
    const { cursor: _, ...rows } = dump;
    expect(await dumpLedger(fixture.pool)).toMatchObject(rows);
    expect(await auditLedger(fixture.pool)).toEqual([]);
  });
});

async function clocks(): Promise<{ clock: string; next: string | null }[]> {
  const rows = await fixture.pool<{ clock: string; next: string | null }[]>`
    select clock, clock_next as next from ledger.cursor`;
  return [...rows];
}

async function buckets(): Promise<{ atRisk: bigint; ready: bigint }> {
  const [row] = await fixture.pool<{ at_risk: string; ready: string }[]>`
    select coalesce(sum(at_risk), 0) as at_risk, coalesce(sum(ready_to_finalize), 0) as ready
    from ledger.bucket`;
  return { atRisk: BigInt(row?.at_risk ?? 0), ready: BigInt(row?.ready ?? 0) };
}
