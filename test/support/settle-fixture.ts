import type { Fact } from '../../engine/core/events.ts';
import { openPool, type Pool } from '../../engine/db/connection.ts';
import { setIndexerSchema } from '../../engine/db/heads.ts';
import { migrate } from '../../engine/db/migrate.ts';
import { feed } from '../../engine/settlement/feeder.ts';
import type { BatchResult } from '../../engine/settlement/settle-campaigns.ts';
import { FakeChain, IndexerTable } from './indexer-table.ts';
import { keccak } from './ledger.ts';
import { PushedJobs, settleJob } from './settle-jobs.ts';

/** A ledger over an indexer's table that the test writes. */
export class SettleFixture {
  readonly chain = new FakeChain();
  readonly table: IndexerTable;
  /** Called with what the chain refuses; it ends the tick, unless a test says otherwise. */
  onChainError: (error: unknown) => void = rethrow;

  constructor(
    readonly pool: Pool,
    chainId?: number,
  ) {
    this.table = new IndexerTable(pool, 'indexer_test', chainId);
  }

  static async open(url: string, chainId?: number): Promise<SettleFixture> {
    const fixture = new SettleFixture(openPool(url, { max: 4 }), chainId);
    await migrate(fixture.pool);
    await fixture.table.create();
    await setIndexerSchema(fixture.pool, 'indexer_test');
    return fixture;
  }

  /** Lets the indexer and the chain have these facts, as their only ones from the first on. */
  async index(facts: readonly Fact[], options: { finalized?: number } = {}): Promise<void> {
    const [first, last] = [facts[0], facts.at(-1)];
    if (first === undefined || last === undefined) return;
    await this.table.removeFrom(first.blockNumber);
    await this.table.insert(facts);
    const finalized = { number: options.finalized ?? 0, timestamp: 0 };
    await this.table.setHead({ number: last.blockNumber, timestamp: last.timestamp }, finalized);
    this.chain.follow(facts);
  }

  /** Feeds and settles until there is nothing left to do. */
  async settle(batchSize = 1_000): Promise<void> {
    for (let round = 0; round < 10_000; round += 1) {
      const outcomes = await this.settleOnce(batchSize);
      if (outcomes.every((outcome) => outcome !== 'folded' && outcome !== 'idle')) return;
    }
    throw new Error('the ledger does not come to rest');
  }

  /** A tick of the feeder. @returns what it pushed. */
  async tick(): Promise<PushedJobs> {
    const { pool, chain } = this;
    const queue = new PushedJobs();
    await feed({ pool, chain, queue, onChainError: this.onChainError });
    return queue;
  }

  /** Feeds once, and settles a batch of each campaign that has something to look at. */
  async settleOnce(batchSize: number): Promise<BatchResult['outcome'][]> {
    const { pool, chain } = this;
    const queue = await this.tick();
    const outcomes: BatchResult['outcome'][] = [];
    for (const job of queue.jobs) {
      const settled = await settleJob({ pool, chain, keccak256: keccak, batchSize }, job);
      outcomes.push(...settled.map(({ outcome }) => outcome));
    }
    return outcomes;
  }
}

function rethrow(error: unknown): never {
  throw error;
}
