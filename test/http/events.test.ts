import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Client } from '../../engine/client/index.ts';
import type { InputOf, MethodOf, OutputOf } from '../../engine/contract/types.ts';
import type { Fact } from '../../engine/core/events.ts';
import { stopCampaign } from '../../engine/db/write/cursor.ts';
import { hash, randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleJob } from '../support/settle-jobs.ts';
import { ApiFixture } from './support/api-fixture.ts';

type Filter = Omit<InputOf<MethodOf<'events.list'>>, 'after' | 'limit'>;
type Item = OutputOf<MethodOf<'events.list'>>['items'][number];

const facts = randomHistory({ seed: 71, steps: 260, campaigns: 4 });
const blocks = [...new Set(facts.map(({ blockNumber }) => blockNumber))];

/** Events of the facts up to a block, in the order of the chain, as `keyOf` names them. */
function expected(history: readonly Fact[], upTo = Number.POSITIVE_INFINITY): string[] {
  return history
    .filter(({ blockNumber }) => blockNumber <= upTo)
    .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
    .map((fact) => `${fact.blockHash} ${fact.logIndex} ${fact.campaignId} ${fact.name}`);
}

function keyOf({ blockHash, logIndex, campaignId, name }: Item): string {
  return `${blockHash} ${logIndex} ${campaignId} ${name}`;
}

/** A reader that stores what it reads, by the rules of docs/reference/api.md. */
class Poller {
  events: Item[] = [];
  repeated = 0;
  after: string | undefined;

  constructor(
    readonly client: Client,
    readonly filter: Filter = {},
    readonly limit = 37,
  ) {}

  /** Reads to the end, or a number of pages. */
  async poll(pages = Number.POSITIVE_INFINITY): Promise<void> {
    for (let page = 0; page < pages; page += 1) {
      const { data } = await this.client.events.list({
        ...this.filter,
        limit: this.limit,
        ...(this.after === undefined ? {} : { after: this.after }),
      });
      if (data.retracted !== null) this.drop(Number(data.retracted.afterBlock));
      for (const campaignId of data.restarted) await this.readAgain(campaignId);
      const known = new Set(this.events.map(keyOf));
      this.repeated += data.items.filter((item) => known.has(keyOf(item))).length;
      this.events.push(...data.items);
      this.after = data.after;
      if (!data.more) return;
    }
  }

  drop(afterBlock: number): void {
    this.events = this.events.filter(({ blockNumber }) => Number(blockNumber) <= afterBlock);
  }

  async readAgain(campaignId: string): Promise<void> {
    const one = new Poller(this.client, { campaignId: [campaignId] });
    await one.poll();
    const others = this.events.filter((event) => event.campaignId !== campaignId);
    this.events = [...others, ...one.events].sort(
      (a, b) => Number(a.blockNumber) - Number(b.blockNumber) || a.logIndex - b.logIndex,
    );
  }

  get keys(): string[] {
    return this.events.map(keyOf);
  }
}

describe('events.list', () => {
  let fixture: ApiFixture;
  let client: Client;

  beforeAll(async () => {
    fixture = await ApiFixture.open();
    await fixture.settle(facts);
    client = fixture.client();
  });
  afterAll(() => fixture.close());

  it('lists all events of all campaigns in the order of the chain, in pages of any size', async () => {
    for (const limit of [1, 37, 100]) {
      const poller = new Poller(client, {}, limit);
      await poller.poll();
      expect(poller.keys).toEqual(expected(facts));
      expect(poller.repeated).toBe(0);
    }
  });

  it('returns nothing more after the last event, and the same position', async () => {
    const poller = new Poller(client);
    await poller.poll();
    const { data } = await client.events.list({ after: poller.after });
    expect(data).toMatchObject({ items: [], more: false, retracted: null, restarted: [] });
  });

  it('filters by name, campaign and account', async () => {
    const all = new Poller(client);
    await all.poll();
    const [account = '0x'] = all.events.flatMap(({ accounts }) => accounts).slice(-1);
    const filters: [Filter, (item: Item) => boolean][] = [
      [{ name: ['NodeJoined'] }, ({ name }) => name === 'NodeJoined'],
      [
        { name: ['SaleRecorded', 'SaleRefunded'] },
        ({ name }) => ['SaleRecorded', 'SaleRefunded'].includes(name),
      ],
      [{ campaignId: ['2'] }, ({ campaignId }) => campaignId === '2'],
      [{ campaignId: ['3', '1', '3'] }, ({ campaignId }) => ['1', '3'].includes(campaignId)],
      [{ account: [`0x${account.slice(2)}`] }, ({ accounts }) => accounts.includes(account)],
      [
        { campaignId: ['1', '2'], name: ['SaleRecorded'] },
        (item) => item.name === 'SaleRecorded' && ['1', '2'].includes(item.campaignId),
      ],
      [{ campaignId: ['999'] }, () => false],
      [{ campaignId: ['demo-1'] }, () => false],
    ];
    for (const [filter, matches] of filters) {
      for (const limit of [3, 100]) {
        const poller = new Poller(client, filter, limit);
        await poller.poll();
        expect(poller.events, JSON.stringify(filter)).toEqual(all.events.filter(matches));
      }
    }
  });

  it('names every field that is wrong, and refuses a cursor of other filters', async () => {
    const { data } = await client.events.list({ limit: 1 });
    for (const [query, field] of [
      ['name=NoSuchEvent', 'name.0'],
      ['campaignId=', 'campaignId'],
      ['account=0x12', 'account.0'],
      ['after=nonsense', 'after'],
      [`after=${data.after}&name=NodeJoined`, 'after'],
      [`campaignId=${Array.from({ length: 21 }, (_, i) => i + 1).join(',')}`, 'campaignId'],
    ]) {
      const response = await fixture.app().request(`/v1/events?${query}`);
      const body = z
        .object({ error: z.object({ issues: z.array(z.object({ path: z.string() })) }) })
        .parse(await response.json());
      expect([response.status, body.error.issues.map(({ path }) => path)]).toEqual([400, [field]]);
    }
  });

  it('publishes a schema that every event of that name fulfils', async () => {
    const { data } = await client.events.types();
    const all = new Poller(client);
    await all.poll();
    const seen = new Set(all.events.map(({ name }) => name));
    expect(seen.size).toBeGreaterThan(12);
    const schemas = new Map(
      data.items.map(({ name, args }) => [String(name), z.fromJSONSchema(args)]),
    );
    for (const { name, args } of all.events) {
      const schema = schemas.get(name);
      expect(schema?.safeParse(args).error, name).toBeUndefined();
      expect(schema?.safeParse({ ...args, nope: 1 }).success).toBe(false);
    }
    expect(z.fromJSONSchema(data.event).safeParse(all.events[0]).error).toBeUndefined();
    expect(data.stream.map(({ name }) => name)).toContain('retracted');
  });
});

describe('events.list across a reorg', () => {
  const finalBlock = blocks.at(-40) ?? 0;
  /** The first block that the reorg replaces. */
  const forkBlock = blocks.at(-30) ?? 0;
  const fork = facts.map((fact) =>
    fact.blockNumber < forkBlock ? fact : { ...fact, blockHash: hash(`fork ${fact.blockNumber}`) },
  );
  let api: ApiFixture;
  let fixture: SettleFixture;

  beforeEach(async () => {
    api = await ApiFixture.open();
    fixture = new SettleFixture(api.pool);
    await fixture.index(facts, { finalized: finalBlock });
    await fixture.settle();
  });
  afterEach(() => api.close());

  async function reorganize(history: readonly Fact[]): Promise<void> {
    await fixture.index(
      history.filter(({ blockNumber }) => blockNumber >= forkBlock),
      { finalized: finalBlock },
    );
    await fixture.settle();
    await fixture.tick();
  }

  it('reports what was replaced, repeats nothing, and misses nothing', async () => {
    const pollers = [];
    // Readers that stopped before the fork, at it, in the middle, and at the end.
    for (const pages of [1, 3, 5, 6, 7, 8, Number.POSITIVE_INFINITY]) {
      const poller = new Poller(api.client());
      await poller.poll(pages);
      pollers.push(poller);
    }
    await reorganize(fork);
    for (const poller of pollers) {
      const before = poller.keys;
      const belowFork = expected(facts, forkBlock - 1);
      await poller.poll();
      expect(poller.keys).toEqual(expected(fork));
      expect(poller.repeated).toBe(0);
      // Everything below the fork is the same event, read once.
      expect(poller.keys.slice(0, belowFork.length)).toEqual(belowFork);
      expect(before.length).toBeGreaterThan(0);
    }
  });

  it('follows a fork in which events disappear', async () => {
    const poller = new Poller(api.client(), {
      name: ['NodeJoined', 'SaleRecorded', 'CampaignFunded'],
    });
    await poller.poll();
    const shorter = fork.filter(({ blockNumber }) => blockNumber <= (blocks.at(-20) ?? 0));
    await reorganize(shorter);
    await poller.poll();
    const fresh = new Poller(api.client(), poller.filter);
    await fresh.poll();
    expect(poller.events).toEqual(fresh.events);
    expect(poller.repeated).toBe(0);
  });

  it('answers 503 above the final block while campaigns are rolled back', async () => {
    const early = new Poller(api.client());
    await early.poll(1);
    const late = new Poller(api.client());
    await late.poll();
    await fixture.index(
      fork.filter(({ blockNumber }) => blockNumber >= forkBlock),
      { finalized: finalBlock },
    );
    const { jobs } = await fixture.tick();
    const [first] = jobs;
    if (first === undefined) throw new Error('the reorg affects a campaign');
    const { pool, chain } = fixture;
    await settleJob({ pool, chain, keccak256: keccak, batchSize: 1_000 }, first);
    await expect(late.poll()).rejects.toMatchObject({ status: 503, code: 'NOT_READY' });
    await early.poll();
    expect(early.keys).toEqual(expected(facts, finalBlock));
    await fixture.settle();
    await fixture.tick();
    for (const poller of [early, late]) {
      await poller.poll();
      expect(poller.keys).toEqual(expected(fork));
      expect(poller.repeated).toBe(0);
    }
  });

  it('leaves stopped campaigns out, and says when one is settled again', async () => {
    await stopCampaign(api.pool, '2', 'a test');
    const poller = new Poller(api.client());
    await poller.poll();
    expect(poller.keys).toEqual(expected(facts.filter(({ campaignId }) => campaignId !== '2')));
    await api.pool`
      update ledger.cursor set stopped_at = null, stopped_reason = null where campaign_id = 2`;
    await poller.poll();
    expect(poller.keys).toEqual(expected(facts));
  });

  it('drops everything that a reader has if the ledger is of another chain', async () => {
    const poller = new Poller(api.client());
    await poller.poll();
    await api.pool`update ledger.journal set block_hash = ${hash('elsewhere')}`;
    const { data } = await api.client().events.list({ after: poller.after, limit: 1 });
    expect(data).toMatchObject({ retracted: { afterBlock: '0' }, more: true });
  });
});
