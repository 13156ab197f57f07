import { afterEach, describe, expect, it } from 'vitest';
import type { Fact } from '../../engine/core/events.ts';
import { MIN_COPIED } from '../../engine/db/write/appended-rows.ts';
import { openQueue } from '../../engine/queue/settle-queue.ts';
import { settleCampaigns } from '../../engine/settlement/settle-campaigns.ts';
import { startWorker } from '../../engine/settlement/worker.ts';
import { hash, randomHistory, seeded } from '../support/history.ts';
import { differences, dumpLedger, keccak } from '../support/ledger.ts';
import type { SettleFixture } from '../support/settle-fixture.ts';
import { SettleFixtures } from '../support/settle-fixtures.ts';
import { settleCampaign } from '../support/settle-jobs.ts';
import { waitFor } from '../support/wait-for.ts';

const CAMPAIGNS = 6;
const IDS = Array.from({ length: CAMPAIGNS }, (_, i) => String(i + 1));

const fixtures = new SettleFixtures();

afterEach(() => fixtures.close());

/** Settles each campaign alone until nothing is left; ticks of the feeder check facts and set heads. */
async function settleAlone(fixture: SettleFixture, ids: readonly string[] = IDS): Promise<void> {
  const { pool, chain } = fixture;
  for (let round = 0; round < 10; round += 1) {
    await fixture.tick();
    for (const id of ids) {
      await settleCampaign({ pool, chain, keccak256: keccak, batchSize: 1_000 }, id);
    }
  }
}

describe('campaigns that are settled together', () => {
  it.each([1, 2, 3])(
    'produces the same ledger for any grouping of campaigns into batches, through reorgs (seed %i)',
    async (seed) => {
      const random = seeded(seed);
      const first = randomHistory({ seed: 40 + seed, steps: 300, campaigns: CAMPAIGNS });
      const blocks = [...new Set(first.map((fact) => fact.blockNumber))];
      const fork = blocks.at(-Math.ceil(random() * 60)) ?? 0;
      const second = first.flatMap((fact): Fact[] => {
        if (fact.blockNumber < fork) return [fact];
        // What happened in one of the campaigns does not make it into the other chain.
        if (fact.campaignId === '2') return [];
        return [{ ...fact, blockHash: hash(`other ${fact.blockNumber}`) }];
      });
      const fixture = await fixtures.open();
      const { pool, chain } = fixture;
      const settleSome = async () => {
        await fixture.tick();
        for (let turn = 0; turn < 12; turn += 1) {
          const some = IDS.filter(() => random() < 0.6);
          const batchSize = 1 + Math.floor(random() * 120);
          await settleCampaigns({ pool, chain, keccak256: keccak, batchSize }, some);
        }
      };
      await fixture.index(first);
      await settleSome();
      await fixture.index(second.filter((fact) => fact.blockNumber >= fork));
      await settleSome();
      await fixture.settle(1_000);

      const reference = await fixtures.open();
      await reference.index(second);
      await settleAlone(reference);
      await reference.settle(1_000);
      const [whole, alone] = [await dumpLedger(pool), await dumpLedger(reference.pool)];
      expect(whole.journal).toHaveLength(second.length);
      expect(differences(whole, alone)).toEqual([]);
    },
  );

  it('produces the same ledger if many campaigns begin in one batch, whose long tables are copied', async () => {
    const campaigns = 100;
    const history = randomHistory({ seed: 60, steps: 900, campaigns });
    const ids = [...new Set(history.map((fact) => fact.campaignId))];
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(history);
    await fixture.tick();
    const folded = await settleCampaigns(
      { pool, chain, keccak256: keccak, batchSize: history.length * ids.length },
      ids,
    );
    expect(folded.every(({ outcome }) => outcome === 'folded')).toBe(true);
    await fixture.settle(1_000);

    const reference = await fixtures.open();
    await reference.index(history);
    await settleAlone(reference, ids);
    const [whole, alone] = [await dumpLedger(pool), await dumpLedger(reference.pool)];
    for (const table of ['campaign', 'policy', 'journal', 'node'] as const) {
      expect(whole[table]?.length, table).toBeGreaterThanOrEqual(MIN_COPIED);
    }
    expect(differences(whole, alone)).toEqual([]);
  });

  it('writes all rows of a batch in which every table is copied', async () => {
    // A campaign without money changes no existing row, so no table of the batch is short.
    const created = randomHistory({ seed: 61, steps: 0, campaigns: MIN_COPIED }).filter(
      ({ name }) => name === 'CampaignCreated' || name === 'PolicyScheduled',
    );
    const ids = created.flatMap(({ name, campaignId }) =>
      name === 'CampaignCreated' ? [campaignId] : [],
    );
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(created);
    await fixture.tick();
    const batchSize = created.length * ids.length;
    const settled = await settleCampaigns({ pool, chain, keccak256: keccak, batchSize }, ids);
    expect(settled).toHaveLength(MIN_COPIED);
    for (const one of settled) {
      expect(one).toMatchObject({ outcome: 'folded', events: 2, hitLimit: false });
    }
    const dump = await dumpLedger(pool);
    const campaignsOf = (table: string) =>
      (dump[table] ?? []).map((row) => String(JSON.parse(row).campaign_id)).sort();
    expect(campaignsOf('campaign')).toEqual([...ids].sort());
    expect(campaignsOf('policy')).toEqual([...ids].sort());
    expect(campaignsOf('journal')).toEqual(ids.flatMap((id) => [id, id]).sort());
    expect(dump.entry).toEqual([]);
    expect(dump.sale_level).toEqual([]);
    const cursors = await pool<{ seq: string }[]>`select seq from ledger.cursor`;
    expect(cursors.map(({ seq }) => Number(seq))).toEqual(ids.map(() => 2));
  });

  it('shares the batch size among its campaigns, and reports which of them have more events', async () => {
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(randomHistory({ seed: 50, steps: 200, campaigns: CAMPAIGNS }));
    await fixture.tick();
    const options = { pool, chain, keccak256: keccak, batchSize: 60 };
    const some = await settleCampaigns(options, ['3', '1', '5']);
    expect(some.map(({ campaignId }) => campaignId)).toEqual(['3', '1', '5']);
    for (const one of some)
      expect(one).toMatchObject({ outcome: 'folded', events: 20, hitLimit: true });
    const [rest] = await settleCampaigns({ ...options, batchSize: 10_000 }, ['3']);
    expect(rest).toMatchObject({ outcome: 'folded', hitLimit: false });
    expect(await settleCampaigns(options, ['3', '9'])).toMatchObject([
      { outcome: 'idle', events: 0 },
      { outcome: 'idle', events: 0 },
    ]);
  });

  it('skips a campaign that another worker has locked, and settles the others', async () => {
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(randomHistory({ seed: 51, steps: 60, campaigns: CAMPAIGNS }));
    await fixture.tick();
    const options = { pool, chain, keccak256: keccak, batchSize: 12 };
    await settleCampaigns(options, ['1', '2']);
    await pool.begin(async (other) => {
      await other`select 1 from ledger.cursor where campaign_id = 2 for update`;
      const settled = await settleCampaigns(options, ['1', '2']);
      expect(settled).toMatchObject([{ outcome: 'folded' }, { outcome: 'busy', events: 0 }]);
    });
  });

  it('changes nothing if one campaign of a batch cannot be folded; a worker then settles each alone', async () => {
    const facts = randomHistory({ seed: 52, steps: 120, campaigns: CAMPAIGNS });
    const broken = facts.find(
      ({ name, campaignId }) => name === 'CampaignCreated' && campaignId === '4',
    );
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(facts.filter((fact) => fact !== broken));
    await fixture.tick();
    const settling = { pool, chain, keccak256: keccak, batchSize: 1_000 };
    await expect(settleCampaigns(settling, IDS)).rejects.toThrow(/START_BLOCK is after/);
    expect((await dumpLedger(pool)).journal).toEqual([]);

    const warned: string[] = [];
    const databaseUrl = fixtures.urlOf(fixture);
    const queue = await openQueue({ redisUrl: undefined, databaseUrl, prefix: 'test' });
    const worker = await startWorker({
      ...settling,
      queue,
      log: { info: () => {}, warn: (_fields, message) => warned.push(message), error: () => {} },
      concurrency: 2,
      pollMs: 50,
      indexerChannel: 'no_indexer',
    });
    try {
      await queue.push([IDS]);
      await waitFor(
        async () => {
          const rows = await pool<{ left: boolean }[]>`
            select stopped_at is null and seq = 0 as left from ledger.cursor`;
          return rows.length === CAMPAIGNS && rows.every((row) => !row.left);
        },
        { what: 'every campaign to be settled or stopped' },
      );
    } finally {
      await worker.stop();
      await queue.close();
    }
    expect(warned).toContain('batch failed; retrying its campaigns one by one');
    const stopped = await pool<{ campaign_id: string; stopped_reason: string }[]>`
      select campaign_id, stopped_reason from ledger.cursor where stopped_at is not null`;
    expect(stopped).toMatchObject([{ campaign_id: '4' }]);
    const others = facts.filter(({ campaignId }) => campaignId !== '4');
    expect((await dumpLedger(pool)).journal).toHaveLength(others.length);
  });

  it('lets others have their turn while a campaign is far behind', async () => {
    const history = randomHistory({ seed: 53, steps: 900, campaigns: 2 });
    const few = new Set(history.filter(({ campaignId }) => campaignId === '2').slice(0, 40));
    const facts = history.filter((fact) => fact.campaignId === '1' || few.has(fact));
    const fixture = await fixtures.open();
    const { pool, chain } = fixture;
    await fixture.index(facts);
    await fixture.tick();
    const databaseUrl = fixtures.urlOf(fixture);
    const queue = await openQueue({ redisUrl: undefined, databaseUrl, prefix: 'turns' });
    await queue.push([['1'], ['2']]);
    const order: unknown[] = [];
    const worker = await startWorker({
      ...{ pool, chain, keccak256: keccak, queue, batchSize: 20, concurrency: 1, turnMs: 0 },
      log: {
        info: (fields) => order.push('campaignId' in fields && fields.campaignId),
        warn: () => {},
        error: () => {},
      },
      pollMs: 50,
      indexerChannel: 'no_indexer',
    });
    try {
      await waitFor(async () => (await dumpLedger(pool)).journal?.length === facts.length, {
        what: 'both campaigns to be settled',
      });
    } finally {
      await worker.stop();
      await queue.close();
    }
    expect(order.indexOf('2')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('2')).toBeLessThan(5);
    expect(order.lastIndexOf('1')).toBeGreaterThan(10);
  });
});
