import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { Dice, nonEmpty } from '../dice.ts';
import type { Expected } from './expected.ts';

/** Milliseconds between two looks. */
const PAUSE_MS = 15;

/** A part that is down for a known while: what answers may then be missing, and why. */
export type Excuse = 'none' | 'unavailable';

const Answer = z.object({
  data: z.object({ saleId: z.string(), campaignId: z.string(), orderKey: z.string() }),
  meta: z.object({ chain: z.object({ blockNumber: z.string() }) }),
});

interface Known {
  readonly saleId: string;
  readonly campaignId: string;
  readonly orderKey: string;
  readonly blockNumber: number;
}

/**
 * Reads receipts through the API all the while, as strangers do. What was readable once must stay
 * readable until a reorg takes it, and the settled block goes back by a reorg alone.
 */
export class Reader {
  readonly problems: string[] = [];
  /** Receipts read well, and looks that found the API away while it was excused. */
  readonly counts = { read: 0, excused: 0 };
  readonly #dice: Dice;
  readonly #stopping = new AbortController();
  #known: Known[] = [];
  #settled = 0;
  /** While a reorg is under way, the settled block may be of either chain. */
  #mayFall = false;
  #generation = 0;
  #excuse: Excuse = 'none';
  #running: Promise<void> | undefined;

  constructor(
    readonly apiUrl: string,
    seed: number,
  ) {
    this.#dice = new Dice(seed, 'reader');
  }

  start(): void {
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** All sales of a settled chain are readable from now on. */
  expect({ campaigns }: Expected, blockOf: ReadonlyMap<string, number>): void {
    this.#mayFall = false;
    this.#generation += 1;
    this.#known = [...campaigns].flatMap(([campaignId, { state }]) =>
      [...state.sales.values()].map(({ saleId, orderKey }) => ({
        saleId,
        campaignId,
        orderKey,
        blockNumber: blockOf.get(saleId) ?? 0,
      })),
    );
  }

  /** The chain is about to replace what is above a block: that may go. */
  discardAbove(blockNumber: number): void {
    this.#generation += 1;
    this.#known = this.#known.filter((one) => one.blockNumber <= blockNumber);
    this.#settled = 0;
    this.#mayFall = true;
  }

  /** Whether an answer may be missing: while the API or its database is down. */
  set excuse(excuse: Excuse) {
    // What was asked under the old rule is not held against the new one.
    if (excuse !== this.#excuse) this.#generation += 1;
    this.#excuse = excuse;
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const some = nonEmpty(this.#known);
      if (some !== undefined) await this.#poll(this.#dice.pick(some));
      await setTimeout(PAUSE_MS);
    }
  }

  async #poll(known: Known): Promise<void> {
    const generation = this.#generation;
    const problem = await this.#ask(known).catch((error: unknown) => `does not answer: ${error}`);
    if (generation !== this.#generation) return;
    if (problem === undefined) this.counts.read += 1;
    else if (this.#excuse === 'unavailable' && !problem.startsWith('wrong')) {
      this.counts.excused += 1;
    } else this.problems.push(`receipt ${known.saleId} ${problem}`);
  }

  /** Reads a receipt and returns what is wrong with it; no outage excuses a text that begins with "wrong". */
  async #ask(known: Known): Promise<string | undefined> {
    const generation = this.#generation;
    const response = await fetch(`${this.apiUrl}/v1/receipts/31337/${known.saleId}`, {
      signal: AbortSignal.timeout(20_000),
    });
    const body = await response.text();
    if (response.status === 404) return `wrong: it went missing: ${body}`;
    if (response.status !== 200) return `is answered ${response.status}: ${body.slice(0, 300)}`;
    const { data, meta } = Answer.parse(JSON.parse(body));
    if (data.campaignId !== known.campaignId || data.orderKey !== known.orderKey) {
      return `wrong: it is of campaign ${data.campaignId}, order ${data.orderKey}`;
    }
    const settled = Number(meta.chain.blockNumber);
    if (settled < this.#settled && generation === this.#generation) {
      return `wrong: the settled block went back from ${this.#settled} to ${settled}`;
    }
    if (generation === this.#generation && !this.#mayFall) this.#settled = settled;
    return undefined;
  }
}
