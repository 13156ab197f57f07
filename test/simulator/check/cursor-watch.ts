import { setTimeout } from 'node:timers/promises';
import type { Pool } from '../../../engine/db/connection.ts';
import type { Expected } from './expected.ts';

/** Milliseconds between two looks. */
const PAUSE_MS = 40;

/**
 * Notes every digest that the ledger ever shows, to be held against those of the chain when they
 * are known: a ledger that was wrong only for a moment was wrong.
 */
export class CursorWatch {
  readonly #stopping = new AbortController();
  #cursors = new Map<string, { campaignId: string; seq: number; digest: string }>();
  #generation = 0;
  #paused = false;
  #running: Promise<void> | undefined;

  constructor(readonly pool: Pool) {}

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Sees nothing until the next comparison: a reorg is under way, and both chains are right. */
  pause(): void {
    this.#paused = true;
    this.#clear();
  }

  /** Digests seen that are not the chain's; begins again. */
  differences({ campaigns }: Expected): string[] {
    const cursors = [...this.#cursors.values()];
    this.#paused = false;
    this.#clear();
    return cursors.flatMap(({ campaignId, seq, digest }) => {
      const wanted = campaigns.get(campaignId)?.digests[seq - 1];
      if (wanted === digest) return [];
      return [`campaign ${campaignId} was at event ${seq} with ${digest}, and not ${wanted}`];
    });
  }

  #clear(): void {
    this.#generation += 1;
    this.#cursors.clear();
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      // The database may be down: then there is nothing to see.
      await this.#poll().catch(() => {});
      await setTimeout(PAUSE_MS);
    }
  }

  async #poll(): Promise<void> {
    const generation = this.#generation;
    const rows = await this.pool<{ id: string; seq: string; digest: string }[]>`
      select campaign_id as id, seq, digest from ledger.cursor where seq > 0`;
    if (this.#paused || generation !== this.#generation) return;
    for (const { id, seq, digest } of rows) {
      this.#cursors.set(`${id} ${seq} ${digest}`, { campaignId: id, seq: Number(seq), digest });
    }
  }
}
