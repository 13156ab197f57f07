import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHeads } from '../../engine/db/heads.ts';
import { forgetChanges, moveHeads } from '../../engine/db/write/changes.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleCampaign } from '../support/settle-jobs.ts';

interface PublishedChange {
  readonly sequence: number;
  readonly campaign: string;
  readonly kind: string;
  readonly from: number;
  readonly to: number;
}

describe('changes', () => {
  const facts = randomHistory({ seed: 5, steps: 700, campaigns: 2 });
  let database: TestDatabase;
  let fixture: SettleFixture;

  beforeAll(async () => {
    database = await createTestDatabase();
    fixture = await SettleFixture.open(database.url);
  });
  afterAll(async () => {
    await fixture?.pool.end();
    await database?.drop();
  });

  async function published(after = 0): Promise<PublishedChange[]> {
    return await fixture.pool<PublishedChange[]>`
      select sequence::int, campaign_id::text as campaign, kind, from_seq::int as from,
        to_seq::int as to
      from ledger.change where sequence > ${after} order by sequence`;
  }

  async function tick(): Promise<void> {
    const { pool, chain } = fixture;
    const onChainError = (error: unknown) => {
      throw error;
    };
    await feed({ pool, chain, queue: { push: async () => {} }, onChainError });
  }

  it('publishes the part of a batch up to the settled block, and the rest when that has moved', async () => {
    await fixture.index(facts);
    await tick();
    const { pool, chain } = fixture;
    const settle = { pool, chain, keccak256: keccak, batchSize: 10_000 };
    await settleCampaign(settle, '1');
    await tick();
    // Campaign 2 has an event in the first block, so nothing is settled.
    expect(await published()).toEqual([]);
    await settleCampaign({ ...settle, batchSize: 40 }, '2');
    await tick();
    const settled = (await readHeads(pool))?.settled?.number ?? 0;
    const below = (campaignId: string) =>
      facts.filter((one) => one.campaignId === campaignId && one.blockNumber <= settled).length;
    const last = (list: readonly PublishedChange[], campaignId: string) =>
      list.filter(({ campaign }) => campaign === campaignId).at(-1)?.to;
    const first = await published();
    expect(last(first, '1')).toBe(below('1'));
    expect(last(first, '2')).toBe(below('2'));
    expect(below('1')).toBeLessThan(facts.filter((one) => one.campaignId === '1').length);
    await fixture.settle();
    const all = await published();
    expect(all.map(({ sequence }) => sequence)).toEqual(all.map((_one, i) => i + 1));
    for (const campaignId of ['1', '2']) {
      const own = all.filter(({ campaign }) => campaign === campaignId);
      expect(own.every(({ kind, from, to }) => kind === 'settled' && to - from < 100)).toBe(true);
      expect(own.map(({ from }) => from)).toEqual([1, ...own.slice(0, -1).map(({ to }) => to + 1)]);
      expect(own.at(-1)?.to).toBe(facts.filter((one) => one.campaignId === campaignId).length);
    }
  });

  it('drops changes and heads of a tick that another one has overtaken', async () => {
    const known = await readHeads(fixture.pool);
    if (known?.settled == null) throw new Error('it is settled');
    const fallen = { ...known, settled: { ...known.settled, number: known.settled.number - 5 } };
    await tick();
    const before = await published();
    expect(await moveHeads(fixture.pool, known, fallen)).toBe(false);
    expect((await readHeads(fixture.pool))?.settled).toEqual(known.settled);
    expect(await published()).toEqual(before);
  });

  it('retracts changes above a settled block that moves back, and publishes them again when it advances', async () => {
    const known = await readHeads(fixture.pool);
    if (known?.settled == null) throw new Error('it is settled');
    const newest = (await published()).length;
    const { number } = known.settled;
    const removed = facts.filter(({ blockNumber }) => blockNumber > number - 5).length;
    const fallen = { ...known, settled: { ...known.settled, number: number - 5 } };
    expect(await moveHeads(fixture.pool, known, fallen)).toBe(true);
    const count = (list: readonly PublishedChange[]) =>
      list.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    const retracted = await published(newest);
    expect(new Set(retracted.map(({ kind }) => kind))).toEqual(new Set(['retracted']));
    expect(count(retracted)).toBe(removed);
    await tick();
    const again = await published(newest + retracted.length);
    expect(new Set(again.map(({ kind }) => kind))).toEqual(new Set(['settled']));
    expect(count(again)).toBe(removed);
  });

  it('publishes the repair of a replay from the first row that differed', async () => {
    const before = (await published()).length;
    const at = facts.filter((one) => one.campaignId === '1').length - 20;
    await fixture.pool`
      update ledger.journal set transaction_hash = sha256('bad') where campaign_id = 1 and seq = ${at}`;
    const run = { pool: fixture.pool, keccak256: keccak, batchSize: 1_000, onProgress: () => {} };
    await replay({ ...run, fromBlock: 0, shadow: true });
    await tick();
    expect(await published(before)).toEqual([]);
    await replay({ ...run, fromBlock: 0, shadow: false });
    await tick();
    expect(await published(before)).toMatchObject([
      { campaign: '1', kind: 'retracted', from: at, to: at + 20 },
      { campaign: '1', kind: 'settled', from: at, to: at + 20 },
    ]);
  });

  it('deletes changes after a day, and the oldest beyond 100,000', async () => {
    const { pool } = fixture;
    const now = new Date();
    expect(await forgetChanges(pool, now)).toBe(0);
    await pool`update ledger.change set published_at = now() - interval '25 hours' where sequence <= 3`;
    expect(await forgetChanges(pool, now)).toBe(3);
    const all = await published();
    expect(all[0]?.sequence).toBe(4);
    await pool`update ledger.head set sequence = sequence + 99998`;
    expect(await forgetChanges(pool, now)).toBe(all.length - 2);
  });
});
