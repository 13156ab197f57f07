import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { auditLedger } from '../../engine/db/audit/audit.ts';
import { claimDeployment } from '../../engine/db/deployment.ts';
import { type ReplayOptions, replay } from '../../engine/settlement/replay.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { differences, dumpLedger, keccak, type LedgerDump } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';

let database: TestDatabase;
let fixture: SettleFixture;
let facts: Fact[];

beforeEach(async () => {
  database = await createTestDatabase();
  fixture = await SettleFixture.open(database.url);
  facts = randomHistory({ seed: 31, steps: 180, campaigns: 3 });
});

afterEach(async () => {
  await fixture?.pool.end();
  await database?.drop();
});

function run(changes: Partial<ReplayOptions> = {}) {
  const options = { fromBlock: 0, shadow: false, batchSize: 50, onProgress: () => {} };
  return replay({ pool: fixture.pool, keccak256: keccak, ...options, ...changes });
}

/** The ledger of a fresh run over the facts. */
async function freshDump(): Promise<LedgerDump> {
  const other = await createTestDatabase();
  const fresh = await SettleFixture.open(other.url);
  await fresh.index(facts);
  await fresh.settle();
  const dump = await dumpLedger(fresh.pool);
  await fresh.pool.end();
  await other.drop();
  return dump;
}

/** Physical location of each row: a changed one shows that the row was written again. */
async function places(): Promise<string[]> {
  const rows = await fixture.pool<{ place: string }[]>`
    select ctid || ' ' || xmin as place from ledger.journal
    union all select ctid || ' ' || xmin from ledger.bucket
    union all select ctid || ' ' || xmin from ledger.cursor order by 1`;
  return rows.map(({ place }) => place);
}

function sale(at: number): Fact<'SaleRecorded'> {
  const found = facts.filter((fact) => fact.name === 'SaleRecorded').at(at);
  if (found?.name !== 'SaleRecorded') throw new Error('the history has that sale');
  return found;
}

/**
 * Settles facts of which one lies, as a wrong fold would, and then gives the indexer the true ones:
 * the ledger is wrong from that very event on, and consistent in itself.
 */
async function settleWrongly(forged: Fact<'SaleRecorded'>): Promise<void> {
  const shares = forged.args.shares.map((share, i) => (i === 0 ? share + 7n : share));
  const wrong = { ...forged, args: { ...forged.args, shares, amount: forged.args.amount + 1n } };
  await fixture.index(facts.map((fact) => (fact === forged ? wrong : fact)));
  await fixture.settle();
  await fixture.index(facts);
}

/** The history up to the block before that of one of its events. */
function wholeBlocks(history: readonly Fact[], at: number): Fact[] {
  const end = history.at(at)?.blockNumber ?? 0;
  return history.filter(({ blockNumber }) => blockNumber < end);
}

describe('a replay of a ledger that is right', () => {
  it.each([{ shadow: true }, { shadow: false }])(
    'finds nothing and writes no row, %o',
    async (kind) => {
      await fixture.index(facts);
      await fixture.settle();
      const [before, where] = [await dumpLedger(fixture.pool), await places()];
      const middle = facts[Math.floor(facts.length / 2)]?.blockNumber ?? 0;
      for (const [fromBlock, batchSize] of [
        [0, 1_000],
        [0, 7],
        [middle, 50],
      ] as const) {
        const report = await run({ ...kind, fromBlock, batchSize });
        expect(report.campaigns.map(({ outcome }) => outcome)).toEqual(['equal', 'equal', 'equal']);
        expect(report.root.after).toBe(report.root.before);
        const refolded = facts.filter(({ blockNumber }) => blockNumber >= fromBlock).length;
        expect(report.campaigns.reduce((sum, { events }) => sum + events, 0)).toBe(refolded);
      }
      expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
      expect(await places()).toEqual(where);
    },
  );

  it('replays only a named campaign, or only those with events since the block', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const one = await run({ campaignId: '2', shadow: true });
    expect(one.campaigns.map(({ campaignId }) => campaignId)).toEqual(['2']);
    const last = facts.at(-1);
    const late = await run({ fromBlock: last?.blockNumber ?? 0, shadow: true });
    expect(late.campaigns.map(({ campaignId }) => campaignId)).toContain(last?.campaignId);
    expect((await run({ fromBlock: (last?.blockNumber ?? 0) + 1 })).campaigns).toEqual([]);
    await expect(run({ campaignId: '77' })).rejects.toThrow('no campaign 77');
  });
});

describe('a ledger that was folded wrongly', () => {
  it('shows campaign and event of wrong rows in a shadow replay, and changes nothing', async () => {
    const forged = sale(20);
    await settleWrongly(forged);
    const before = await dumpLedger(fixture.pool);
    await claimDeployment(fixture.pool, {
      ...{ chainId: 31_337, genesisHash: hash('genesis'), contractAddress: account(1) },
    });
    const report = await run({ shadow: true });
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
    expect(report.root.after).not.toBe(report.root.before);
    const [found, ...others] = report.campaigns.filter(({ outcome }) => outcome !== 'equal');
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      campaignId: forged.campaignId,
      outcome: 'differs',
      first: {
        event: { eventId: forged.id, name: 'SaleRecorded', blockNumber: forged.blockNumber },
      },
    });
    const journal = found?.first?.rows.find(({ table }) => table === 'journal');
    expect(journal?.stored?.digest).toMatch(/^0x[0-9a-f]{64}$/);
    expect(journal?.stored?.digest).not.toBe(journal?.refolded?.digest);
    expect(JSON.parse(journal?.refolded?.args ?? '{}').amount).toBe(String(forged.args.amount));
  });

  it('repairs wrong rows by a replay from the first difference on, equal to a fresh run', async () => {
    const forged = sale(20);
    await settleWrongly(forged);
    const fresh = await freshDump();
    expect(differences(await dumpLedger(fixture.pool), fresh)).not.toEqual([]);
    const report = await run({ fromBlock: forged.blockNumber });
    const repaired = report.campaigns.filter(({ outcome }) => outcome === 'repaired');
    expect(repaired.map(({ campaignId }) => campaignId)).toEqual([forged.campaignId]);
    expect(differences(await dumpLedger(fixture.pool), fresh)).toEqual([]);
    expect(await auditLedger(fixture.pool)).toEqual([]);
    const again = await run({ shadow: true });
    expect(again.root).toEqual({ before: report.root.after, after: report.root.after });
  });

  it('leaves rows below its first block as they are', async () => {
    const forged = sale(20);
    await settleWrongly(forged);
    await run({ fromBlock: sale(40).blockNumber });
    expect((await run({ shadow: true })).campaigns.map(({ outcome }) => outcome)).toContain(
      'differs',
    );
  });
});

describe('rows that were damaged', () => {
  const damages: Record<string, (pool: SettleFixture['pool']) => Promise<unknown>> = {
    'an entry of another amount': (pool) => pool`
      update ledger.entry set amount = amount + 1
      where (campaign_id, seq, ordinal) in (
        select campaign_id, seq, ordinal from ledger.entry
        order by campaign_id, seq limit 1 offset 3)`,
    'a reservation with another balance': (pool) => pool`
      update ledger.sale_level set reserved_after = reserved_after + 1
      where (campaign_id, sale_id, level) in (
        select campaign_id, sale_id, level from ledger.sale_level where share <> 0
        order by campaign_id, sale_id limit 1 offset 3)`,
    'a balance': (pool) => pool`
      update ledger.bucket set claimed = claimed + 5 where campaign_id = 2`,
    'a bucket without an owner': (pool) => pool`
      insert into ledger.bucket values (1, ledger.bytes_of('0x00000000000000000000000000000000000000ff'), 0,0,0,0,0,0)`,
    'a sale that is gone, its levels left behind': (pool) => pool`
      delete from ledger.sale where sale_id = (select min(sale_id) from ledger.sale)`,
    'versions that are gone': (pool) => pool`delete from ledger.sale_version where campaign_id = 1`,
    'an event that never was': (pool) => pool`
      update ledger.journal set available = available + 1, digest = decode(repeat('00', 32), 'hex')
      where (campaign_id, seq) = (3, 5)`,
    'a campaign that is gone': (pool) => pool`delete from ledger.campaign where campaign_id = 3`,
  };

  it.each(Object.keys(damages))('shows, then repairs from block 0: %s', async (name) => {
    await fixture.index(facts);
    await fixture.settle();
    const before = await dumpLedger(fixture.pool);
    await damages[name]?.(fixture.pool);
    const damaged = await dumpLedger(fixture.pool);
    expect(differences(before, damaged)).not.toEqual([]);
    const shown = await run({ shadow: true });
    const outcomes = shown.campaigns.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['differs', 'equal', 'equal']);
    expect(differences(damaged, await dumpLedger(fixture.pool))).toEqual([]);
    await run();
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
    expect(await auditLedger(fixture.pool)).toEqual([]);
  });
});

describe('a campaign that settlement stopped', () => {
  it('stays stopped, with the reason, if its facts cannot be folded', async () => {
    const [broken] = facts.filter(({ name }) => name === 'CampaignCreated');
    await fixture.index(facts.filter((fact) => fact !== broken));
    await fixture.settle();
    const { campaigns } = await run();
    expect(campaigns.map(({ outcome }) => outcome)).toEqual(['failed', 'equal', 'equal']);
    expect(campaigns[0]?.reason).toContain('START_BLOCK');
  });

  it('continues after a replay, and stays stopped after a shadow replay', async () => {
    await fixture.index(wholeBlocks(facts, -80));
    await fixture.settle();
    await fixture.pool`
      update ledger.cursor set stopped_at = now(), stopped_reason = 'tired' where campaign_id = 1`;
    await fixture.index(facts);
    await fixture.settle();
    const shadow = await run({ shadow: true, fromBlock: facts.at(-1)?.blockNumber ?? 0 });
    expect(shadow.campaigns[0]).toMatchObject({ campaignId: '1', started: false });
    expect((await run()).campaigns[0]).toMatchObject({ campaignId: '1', started: true });
    await fixture.settle();
    expect(differences(await dumpLedger(fixture.pool), await freshDump())).toEqual([]);
  });
});

describe('a replay while other processes run', () => {
  it('waits while the indexer recovers, and leaves the rows alone', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const before = await dumpLedger(fixture.pool);
    await fixture.table.setReady(false);
    const recovering = await run();
    expect(recovering.campaigns.every(({ outcome }) => outcome === 'waiting')).toBe(true);
    await fixture.table.setReady(true);
    await fixture.table.removeFrom(facts.at(-30)?.blockNumber ?? 0);
    const { campaigns } = await run();
    expect(campaigns.some(({ outcome }) => outcome === 'waiting')).toBe(true);
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
  });

  it('takes turns with workers that settle new events, and never shows readers a partial result', async () => {
    facts = randomHistory({ seed: 31, steps: 320, campaigns: 3 });
    await fixture.index(wholeBlocks(facts, -200));
    await fixture.settle();
    await fixture.pool`
      update ledger.sale_level set reserved_after = reserved_after + 1
      where campaign_id <> 2 and (campaign_id, sale_id) in (
        select campaign_id, sale_id from ledger.sale where seq < 40)`;
    await fixture.pool`update ledger.bucket set refunded = refunded + 1`;
    await fixture.index(facts);
    let reading = true;
    const sums: string[] = [];
    const reader = (async () => {
      while (reading) {
        const rows = await fixture.pool<{ broken: string; sales: string }[]>`
          select (
            select count(*) from ledger.campaign where net_deposited <> available
              + pending_reserved + vested_unclaimed + rewards_claimed + surplus_withdrawn
          ) + (
            select count(*) from ledger.cursor c where seq > 0 and not exists (
              select 1 from ledger.journal j where j.campaign_id = c.campaign_id and j.seq = c.seq
            )
          ) as broken, (select count(*) from ledger.campaign) as sales`;
        sums.push(`${rows[0]?.broken} ${rows[0]?.sales}`);
      }
    })();
    await Promise.all([fixture.settle(20), run({ batchSize: 20 })]);
    reading = false;
    await reader;
    expect(sums.length).toBeGreaterThan(5);
    expect(new Set(sums)).toEqual(new Set(['0 3']));
    await fixture.settle();
    expect(differences(await dumpLedger(fixture.pool), await freshDump())).toEqual([]);
  });

  it('waits for facts that are not compared with the chain yet, and removes none', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const before = await dumpLedger(fixture.pool);
    await fixture.pool`delete from ledger.checked_head`;
    const { campaigns } = await run();
    expect(campaigns.map(({ outcome }) => outcome)).toEqual(['waiting', 'waiting', 'waiting']);
    expect(campaigns[0]?.reason).toContain('compared with the chain');
    expect(differences(before, await dumpLedger(fixture.pool))).toEqual([]);
  });

  it('reports its progress', async () => {
    await fixture.index(facts);
    await fixture.settle();
    const seen: string[] = [];
    await run({
      shadow: true,
      batchSize: 10,
      onProgress: ({ campaignId, done, of, events }) =>
        seen.push(`${campaignId} ${done}/${of} ${events}`),
    });
    const own = facts.filter(({ campaignId }) => campaignId === '1').length;
    expect(seen.slice(0, 3)).toEqual(['1 0/3 0', '1 0/3 10', '1 0/3 20']);
    expect(seen).toContain(`1 0/3 ${own}`);
  });
});
