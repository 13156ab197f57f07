import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../engine/client/index.ts';
import type { Fact } from '../../engine/core/events.ts';
import type { Pool } from '../../engine/db/connection.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import { replay } from '../../engine/settlement/replay.ts';
import { account, hash, randomHistory } from '../support/history.ts';
import { keccak } from '../support/ledger.ts';
import { SettleFixture } from '../support/settle-fixture.ts';
import { settleCampaign } from '../support/settle-jobs.ts';
import { ApiFixture } from './support/api-fixture.ts';
import { Follower, newestSequence, settledJournal } from './support/follower.ts';
import { OrderPoller, salesOf } from './support/order-poller.ts';
import {
  type Behaviour,
  settledEvents,
  WebhookNetwork,
  type WebhookReceiver,
} from './support/webhook-network.ts';

/** One thing that happens to the ledger, or to the reader. */
type Step =
  | { readonly kind: 'mine'; readonly blocks: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly blocks: number }
  | { readonly kind: 'fold'; readonly campaign: number; readonly batchSize: number }
  | { readonly kind: 'settle'; readonly batchSize: number }
  | { readonly kind: 'look'; readonly drain: boolean }
  | { readonly kind: 'disconnect'; readonly after: number }
  | { readonly kind: 'replay' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('mine'), blocks: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorg'),
      depth: fc.integer({ min: 1, max: 25 }),
      blocks: fc.integer({ min: 0, max: 20 }),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('fold'),
      campaign: fc.integer({ min: 1, max: 3 }),
      batchSize: fc.integer({ min: 1, max: 40 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('settle'),
      batchSize: fc.integer({ min: 1, max: 200 }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('look'), drain: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('disconnect'),
      after: fc.integer({ min: 0, max: 6 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay') }) },
);

/** The seed of a random history of a chain, and what happens to it. */
type History = readonly [seed: number, steps: readonly Step[]];

const history: fc.Arbitrary<History> = fc.tuple(
  fc.integer({ min: 1, max: 1_000_000 }),
  fc.array(step, { minLength: 20, maxLength: 40 }),
);

/** Of the histories whose messages are counted: what random ones meet is left to chance. */
const SEED = 3;

/**
 * A policy that takes effect with an event which is rolled back without a replacement: the
 * campaign's row must not go on showing it. Found by this very property.
 */
const retracted: History = [
  4,
  [
    { kind: 'fold', campaign: 3, batchSize: 30 },
    { kind: 'settle', batchSize: 181 },
    { kind: 'look', drain: true },
    { kind: 'fold', campaign: 1, batchSize: 14 },
    { kind: 'reorg', depth: 15, blocks: 6 },
    { kind: 'fold', campaign: 3, batchSize: 5 },
    { kind: 'look', drain: true },
    { kind: 'fold', campaign: 3, batchSize: 5 },
    { kind: 'mine', blocks: 3 },
    { kind: 'fold', campaign: 2, batchSize: 26 },
    { kind: 'reorg', depth: 24, blocks: 3 },
    { kind: 'mine', blocks: 4 },
    { kind: 'look', drain: false },
    { kind: 'reorg', depth: 2, blocks: 17 },
    { kind: 'fold', campaign: 2, batchSize: 17 },
    { kind: 'reorg', depth: 23, blocks: 2 },
    { kind: 'fold', campaign: 3, batchSize: 22 },
    { kind: 'replay' },
    { kind: 'fold', campaign: 3, batchSize: 12 },
    { kind: 'fold', campaign: 1, batchSize: 35 },
    { kind: 'fold', campaign: 2, batchSize: 3 },
    { kind: 'replay' },
  ],
];

/** Another history from a block on: other blocks, and every fifth sale is not in them. */
function forkOf(facts: readonly Fact[], fork: number, name: string): Fact[] {
  const dropped = new Set<string>();
  return facts.flatMap((fact) => {
    if (fact.blockNumber < fork) return [fact];
    const saleId = 'saleId' in fact.args ? fact.args.saleId : undefined;
    if (fact.name === 'SaleRecorded' && Number(saleId) % 5 === 0) dropped.add(fact.args.saleId);
    if (saleId !== undefined && dropped.has(saleId)) return [];
    return [{ ...fact, blockHash: hash(`${name} ${fact.blockNumber}`) }];
  });
}

describe('a reader that applies all messages', () => {
  let fixture: ApiFixture;
  beforeAll(async () => {
    fixture = await ApiFixture.open();
  });
  afterAll(() => fixture.close());

  it('lets a reader that applies all messages have the ledger of the settled block after every tick', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (one) => {
        await play(fixture, one);
      }),
      { numRuns: 2, endOnFailure: true },
    );
  }, 120_000);

  it('lets it have that ledger in runs that meet every kind of message', async () => {
    const met = {
      seen: 0,
      retracted: 0,
      orders: 0,
      retractedOrders: 0,
      delivered: 0,
      retractions: 0,
    };
    for (const one of [retracted, ...fc.sample(history, { seed: SEED, numRuns: 3 })]) {
      const run = await play(fixture, one);
      met.seen += run.sequence;
      met.retracted += await countRetracted(fixture.pool);
      met.orders += run.orders.received;
      met.retractedOrders += run.orders.retracted;
      for (const { messages } of run.receivers) {
        met.delivered += messages.length;
        met.retractions += messages.filter(({ data }) => data.retracts !== null).length;
      }
    }
    // Or it would have proved little.
    expect(met.seen).toBeGreaterThan(50);
    expect(met.retracted).toBeGreaterThan(5);
    expect(met.orders).toBeGreaterThan(50);
    expect(met.retractedOrders).toBeGreaterThan(0);
    expect(met.delivered).toBeGreaterThan(500);
    expect(met.retractions).toBeGreaterThan(20);
  }, 120_000);
});

/** The ledger and its readers after all steps of a history, and after what they must agree on. */
async function play(fixture: ApiFixture, [seed, steps]: History): Promise<Run> {
  await wipe(fixture.pool);
  const run = new Run(fixture, seed);
  await run.begin();
  for (const one of steps) await run.step(one);
  await run.finish();
  return run;
}

/** An empty ledger over an empty chain. */
async function wipe(pool: Pool): Promise<void> {
  const tables = await pool<{ name: string }[]>`
    select table_schema || '.' || table_name as name from information_schema.tables
    where table_schema in ('ledger', 'indexer_test')
      and table_type = 'BASE TABLE' and table_name not in ('deployment', 'head', '_ponder_meta')`;
  await pool.unsafe(`truncate ${tables.map(({ name }) => name).join(', ')}`);
  await pool`truncate commerce.webhook_endpoint, commerce.webhook_event, commerce.service_event cascade`;
  await pool`update commerce.webhook_cursor set epoch = null, sequence = 0, recheck_at_block = null`;
  await pool`
    update ledger.head set settled_number = null, settled_hash = null, settled_timestamp = null,
      finalized_number = null, safe_number = null, sequence = 0`;
}

async function countRetracted(pool: Pool): Promise<number> {
  const rows = await pool`select 1 from ledger.change where kind = 'retracted'`;
  return rows.length;
}

/** What receivers of webhooks do with their requests, one after the other. */
const BEHAVIOURS: readonly Behaviour[] = [
  ...['takes', 'takes', 'refuses', 'takes', 'lost', 'takes', 'takes', 'takes', 'lost'],
  ...['refuses', 'takes'],
] as Behaviour[];

/** One ledger, and its readers. */
class Run {
  readonly #ledger: SettleFixture;
  readonly #reader: Follower;
  /** Endpoints of the merchant, one in the order of each campaign; both fail now and then. */
  readonly receivers: WebhookReceiver[] = [];
  readonly #network: WebhookNetwork;
  readonly #behaviour: (request: number) => Behaviour;
  #merchant: Client | undefined;
  #poller: OrderPoller | undefined;
  #facts: Fact[];
  #mined = 0;
  #forks = 0;

  constructor(
    readonly fixture: ApiFixture,
    seed: number,
  ) {
    this.#ledger = new SettleFixture(fixture.pool);
    this.#reader = new Follower(fixture.app());
    this.#facts = randomHistory({ seed, steps: 250, campaigns: 3 });
    this.#network = new WebhookNetwork(fixture);
    this.#behaviour = (request) => BEHAVIOURS[(request * 7 + seed) % BEHAVIOURS.length] ?? 'takes';
  }

  get sequence(): number {
    return this.#reader.sequence;
  }

  /** The poller of the first campaign's orders. */
  get orders(): OrderPoller {
    if (this.#poller === undefined) throw new Error('the run has not begun');
    return this.#poller;
  }

  async begin(): Promise<void> {
    this.#merchant = await this.fixture.clientAs(account(1_000));
    this.#poller = new OrderPoller(this.#merchant, 3);
    // The block that creates the campaigns is of no campaign yet when the reader comes.
    const first = this.#facts[0];
    if (first === undefined) throw new Error('the history is empty');
    this.#ledger.chain.setHead(first.blockNumber - 1, first.timestamp - 1);
    await this.#ledger.table.setHead({
      number: first.blockNumber - 1,
      timestamp: first.timestamp - 1,
    });
    for (const ordered of [false, true]) {
      const options = { owner: account(1_000), ordered, behaviour: this.#behaviour };
      this.receivers.push(await this.#network.add(options));
    }
    await this.#poll();
    // Its hello: from there on it must receive everything.
    await this.#reader.take();
    expect(await this.orders.poll()).toBe(true);
  }

  async step(one: Step): Promise<void> {
    if (one.kind === 'mine') await this.#mine(one.blocks);
    if (one.kind === 'reorg') await this.#reorg(one.depth, one.blocks);
    if (one.kind === 'fold') {
      const { pool, chain } = this.#ledger;
      const { batchSize, campaign } = one;
      await settleCampaign({ pool, chain, keccak256: keccak, batchSize }, String(campaign));
    }
    if (one.kind === 'settle') await this.#ledger.settle(one.batchSize);
    if (one.kind === 'look') await (one.drain ? this.#lookAndCompare() : this.#poll());
    if (one.kind === 'disconnect') await this.#disconnect(one.after);
    if (one.kind === 'replay') await this.#replay();
  }

  async finish(): Promise<void> {
    await this.#ledger.settle(17);
    await this.#lookAndCompare();
    await this.#reader.disconnect();
  }

  async #mine(blocks: number): Promise<void> {
    const all = [...new Set(this.#facts.map(({ blockNumber }) => blockNumber))];
    const from = all[this.#mined];
    this.#mined = Math.min(all.length, this.#mined + blocks);
    const to = all[this.#mined - 1];
    if (from === undefined || to === undefined) return;
    const fresh = this.#facts.filter((one) => one.blockNumber >= from && one.blockNumber <= to);
    await this.#ledger.index(fresh);
  }

  async #reorg(depth: number, blocks: number): Promise<void> {
    // The block that creates the campaigns stays.
    this.#mined = Math.max(Math.min(1, this.#mined), this.#mined - depth);
    if (this.#mined === 0) return;
    const all = [...new Set(this.#facts.map(({ blockNumber }) => blockNumber))];
    const fork = all[this.#mined];
    if (fork === undefined) return;
    this.#forks += 1;
    this.#facts = forkOf(this.#facts, fork, `fork ${this.#forks}`);
    await this.#mine(Math.max(1, blocks));
  }

  async #poll(): Promise<void> {
    const { pool, chain } = this.#ledger;
    const onChainError = (error: unknown) => {
      throw error;
    };
    await feed({ pool, chain, queue: { push: async () => {} }, onChainError });
  }

  async #lookAndCompare(): Promise<void> {
    await this.#poll();
    await this.#reader.takeUpTo(await newestSequence(this.fixture.pool));
    expect(this.#reader.held).toEqual(await settledJournal(this.fixture.pool));
    await this.#compareOrders();
    await this.#compareWebhooks();
  }

  /** Delivered less retracted is the ledger at the settled block, and nothing is acknowledged twice. */
  async #compareWebhooks(): Promise<void> {
    await this.#network.drain();
    const settled = await settledEvents(this.fixture.pool, account(1_000));
    for (const receiver of this.receivers) {
      expect(receiver.held).toEqual(settled);
      expect(receiver.mostAcknowledged).toBeLessThanOrEqual(1);
    }
  }

  /**
   * A merchant's copy of its orders is the ledger after each poll. An order is returned again only if it changed. After
   * a reorg that cannot be seen from its text: its events can be the same in another block.
   */
  async #compareOrders(): Promise<void> {
    if (this.#merchant === undefined) throw new Error('the run has not begun');
    await this.orders.poll();
    expect(this.orders.held).toEqual(await salesOf(this.#merchant));
    if (this.#forks === 0) expect(this.orders.repeated).toBe(0);
  }

  /** Takes some of what there is, and goes away in the middle of it. */
  async #disconnect(after: number): Promise<void> {
    // Rollbacks are published by then, so everything that it waits for will come.
    await this.#poll();
    const newest = await newestSequence(this.fixture.pool);
    await this.#reader.takeUpTo(Math.min(newest, this.#reader.sequence + after));
    await this.#reader.disconnect();
    await this.orders.poll(1);
    await this.#network.publish();
    if (after % 2 === 0) await this.#network.send();
  }

  /** A replay that finds nothing to repair publishes nothing. */
  async #replay(): Promise<void> {
    const { pool } = this.fixture;
    const reported = async () => [
      await pool`select * from ledger.change order by sequence`,
      await pool`select * from ledger.stale_publication order by id`,
    ];
    const before = await reported();
    const report = await replay({
      pool,
      keccak256: keccak,
      fromBlock: 0,
      shadow: false,
      batchSize: 30,
      onProgress: () => {},
    });
    for (const { outcome, reason } of report.campaigns)
      expect(`${outcome} ${reason}`).toMatch(/^(equal|waiting) /);
    expect(await reported()).toEqual(before);
  }
}
