import type { Keccak256 } from '../../../engine/core/digest.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { ChainWatch } from '../../../engine/settlement/chain-watch.ts';
import { advanceSettledBlock, feed } from '../../../engine/settlement/feeder.ts';
import { type BeforeCommit, settleCampaigns } from '../../../engine/settlement/settle-campaigns.ts';
import type { SeenSchema } from '../../../engine/settlement/tick.ts';
import { type ChainView, TICK_MS } from './chain-view.ts';
import { type Death, killingPool } from './killing-pool.ts';

/** Facts that a batch folds at most: small enough that some campaigns need several. */
const BATCH_SIZE = 400;

/** Batches of one job, at most: a campaign that is always full would never end. */
const MAX_BATCHES = 200;

/**
 * The real feeder and the real workers, driven by hand: a queue in memory, and no waiting. What it
 * holds is lost when it stops, as everything is that is not in the database.
 */
export class VirtualSettlement {
  #jobs: (readonly string[])[] = [];
  readonly #deaths: { statement: number; death: Death }[] = [];
  readonly #pool: Pool;
  /** Batches that failed, and why, since the last time they were taken. */
  #errors: string[] = [];
  batches = 0;
  #ticks = 0;
  readonly #seen: SeenSchema = { schema: undefined };
  readonly #watch: ChainWatch;
  /** Milliseconds that have passed without a tick. */
  skippedMs = 0;
  /** Transactions that died. */
  died = 0;

  constructor(
    readonly pool: Pool,
    readonly chain: ChainView,
    public keccak256: Keccak256,
  ) {
    this.#watch = new ChainWatch(chain.restMs, () => TICK_MS * this.#ticks + this.skippedMs);
    this.#pool = killingPool(pool, this.#deaths, () => {
      this.died += 1;
    });
  }

  get waiting(): number {
    return this.#jobs.length;
  }

  /** A whole tick of the feeder. */
  async tick(): Promise<void> {
    this.#ticks += 1;
    const leader = { watch: this.#watch, seen: this.#seen };
    // Every other tick as a leader that settles few facts itself.
    const isHere = this.#ticks % 2 === 0;
    await feed({
      ...this.#feeder(),
      ...leader,
      ...(isHere && { settleHere: (ids, beforeCommit) => this.#settleHere(ids, beforeCommit) }),
    });
  }

  /** Advances the settled block between two ticks, as a leader does when batches commit. */
  async advance(): Promise<void> {
    await advanceSettledBlock(this.#feeder());
  }

  /** Adds jobs past the feeder, as duplicates or leftovers of a queue. */
  push(jobs: readonly (readonly string[])[]): void {
    this.#jobs.push(...jobs);
  }

  /** Does jobs until none waits. @param workers that take jobs concurrently. */
  async work(workers: number, maxJobs = Number.POSITIVE_INFINITY): Promise<void> {
    let left = maxJobs;
    const take = async () => {
      for (;;) {
        const job = left > 0 ? this.#jobs.shift() : undefined;
        if (job === undefined) return;
        left -= 1;
        await this.#do(job);
      }
    };
    await Promise.all(Array.from({ length: workers }, take));
  }

  /** The next transactions die, each before a statement. */
  kill(deaths: readonly { statement: number; death: Death }[]): void {
    this.#deaths.push(...deaths);
  }

  /** Forgets all that a process knows, and what was to die. */
  stop(): void {
    this.#jobs = [];
    this.#deaths.length = 0;
  }

  /** The errors of batches since the last call. */
  takeErrors(): string[] {
    const errors = this.#errors;
    this.#errors = [];
    return errors;
  }

  #feeder() {
    return {
      pool: this.pool,
      chain: this.chain,
      queue: { push: async (jobs: readonly (readonly string[])[]) => this.push(jobs) },
      onChainError: () => {},
    };
  }

  /** Settles as a leader does: a batch that fails is queued. */
  async #settleHere(campaignIds: readonly string[], beforeCommit: BeforeCommit): Promise<boolean> {
    const { chain, keccak256 } = this;
    const options = { pool: this.#pool, chain, keccak256, batchSize: BATCH_SIZE, beforeCommit };
    this.batches += 1;
    try {
      await settleCampaigns(options, campaignIds);
      return true;
    } catch {
      this.push(campaignIds.map((id) => [id]));
      return false;
    }
  }

  /** Does a job as a worker does: together first, and one by one if that fails. */
  async #do(campaignIds: readonly string[]): Promise<void> {
    const { chain, keccak256 } = this;
    const options = { pool: this.#pool, chain, keccak256, batchSize: BATCH_SIZE };
    let ids = campaignIds;
    try {
      for (let batch = 0; ids.length > 0 && batch < MAX_BATCHES; batch += 1) {
        this.batches += 1;
        const settled = await settleCampaigns(options, ids);
        ids = settled.flatMap(({ campaignId, hitLimit }) => (hitLimit ? [campaignId] : []));
      }
    } catch (error) {
      if (ids.length > 1) this.push(ids.map((id) => [id]));
      else this.#errors.push(`campaign ${ids[0]}: ${error}`);
    }
  }
}
