import { z } from 'zod';
import type { Keccak256 } from '../../../engine/core/digest.ts';
import type { Fact } from '../../../engine/core/events.ts';
import { audit, BlockReplacedError } from '../../../engine/settlement/audit.ts';
import { waitFor } from '../../support/wait-for.ts';
import { ChainFacts } from '../chain/facts.ts';
import type { Market } from '../chain/market.ts';
import { SimulationFailure } from '../failure.ts';
import type { System } from '../parts/system.ts';
import { ledgerDifferences } from './compare.ts';
import { contractDifferences } from './contract.ts';
import { CursorWatch } from './cursor-watch.ts';
import { type Expected, expectedOf } from './expected.ts';
import { Reader } from './reader.ts';

/** Milliseconds that the system may take to be at the head again: a dead lock alone costs 25 s. */
const SETTLE_MS = 150_000;

const Digest = z.object({ data: z.object({ root: z.string(), block: z.string() }) });

/** Counts of what a check found correct. */
export interface Checked {
  readonly blockNumber: number;
  readonly events: number;
  readonly campaigns: number;
  readonly sales: number;
  /** Milliseconds until everything was settled. */
  readonly settledMs: number;
}

/** Everything that has to hold after each fault, and what watches for it meanwhile. */
export class Checks {
  readonly reader: Reader;
  readonly watch: CursorWatch;
  readonly #facts: ChainFacts;

  constructor(
    readonly market: Market,
    readonly system: System,
    readonly keccak256: Keccak256,
    seed: number,
  ) {
    this.reader = new Reader(system.apiUrl, seed);
    this.watch = new CursorWatch(system.pool);
    this.#facts = new ChainFacts(market.chain);
  }

  start(): void {
    this.reader.start();
    this.watch.start();
  }

  async stop(): Promise<void> {
    await Promise.all([this.reader.stop(), this.watch.stop()]);
  }

  /**
   * Waits until all is settled, and compares it with an undisturbed run.
   * @throws {SimulationFailure} with the first differences.
   */
  async check(): Promise<Checked> {
    const started = performance.now();
    await this.#settle();
    const settledMs = Math.round(performance.now() - started);
    await this.system.untilApiAnswers();
    this.reader.excuse = 'none';

    const head = await this.market.chain.client.getBlock();
    const facts = await this.#facts.read(head.number);
    const expected = expectedOf(this.keccak256, facts);
    const clock = Number(head.timestamp);
    this.#refuse('the ledger', await ledgerDifferences(this.system.pool, expected, clock));
    this.#refuse('the contract', await contractDifferences(this.market, expected, head.number));
    this.#refuse('the audit', await this.#audit());
    this.#refuse('the API', await this.#rootDifferences(expected, String(head.number)));
    this.#refuse('while it ran, the ledger', this.watch.differences(expected));
    this.#refuse('while it ran, the API', this.reader.problems);
    const sales = blocksOfSales(facts);
    this.reader.expect(expected, sales);
    return {
      blockNumber: Number(head.number),
      events: expected.events,
      campaigns: expected.campaigns.size,
      sales: sales.size,
      settledMs,
    };
  }

  async #settle(): Promise<void> {
    try {
      await this.system.settledToHead(SETTLE_MS);
    } catch (cause) {
      const message = cause instanceof Error ? cause.message : String(cause);
      throw new SimulationFailure(`${message} The API says: ${await this.#status()}`, { cause });
    }
  }

  /** The system's own status: heads and alarms. */
  async #status(): Promise<string> {
    try {
      const response = await fetch(`${this.system.apiUrl}/v1/system/status`);
      return (await response.text()).slice(0, 1_500);
    } catch {
      return 'nothing';
    }
  }

  async #audit(): Promise<string[]> {
    try {
      const { violations, discrepancies } = await audit(this.system.pool, this.system.contract);
      const described = violations.map((one) => JSON.stringify(one));
      return discrepancies === 0 ? described : [...described, `${discrepancies} discrepancies`];
    } catch (error) {
      if (error instanceof BlockReplacedError) return [error.message];
      throw error;
    }
  }

  /** Differences between the API's root and that of the fold in memory. */
  async #rootDifferences({ root }: Expected, block: string): Promise<string[]> {
    const url = `${this.system.apiUrl}/v1/system/digest?block=${block}`;
    // While a rollback is recorded as under way, a root is refused; the next tick ends that.
    const response = await waitFor(
      async () => {
        const answer = await fetch(url);
        return answer.status === 503 ? undefined : answer;
      },
      { what: 'the root to be answered' },
    );
    if (!response.ok) return [`/v1/system/digest is answered ${response.status}`];
    const { data } = Digest.parse(await response.json());
    return data.root === root ? [] : [`root of block ${block}: expected ${root}, got ${data.root}`];
  }

  #refuse(where: string, differences: readonly string[]): void {
    if (differences.length === 0) return;
    const more = differences.length > 3 ? ` (and ${differences.length - 3} more)` : '';
    throw new SimulationFailure(`${where}: ${differences.slice(0, 3).join('; ')}${more}`);
  }
}

function blocksOfSales(facts: readonly Fact[]): Map<string, number> {
  return new Map(
    facts.flatMap((fact) =>
      fact.name === 'SaleRecorded' ? [[fact.args.saleId, fact.blockNumber] as const] : [],
    ),
  );
}
