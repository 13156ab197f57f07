import type { StreamMessage } from '../../../engine/contract/shapes/stream.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import type { ApiFixture } from './api-fixture.ts';
import { StreamWatch } from './stream-watch.ts';

/** A reader that does what docs/reference/api.md says, and nothing else. */
export class Follower {
  readonly #app: ReturnType<ApiFixture['app']>;
  readonly #held = new Map<string, Map<number, string>>();
  #watch: StreamWatch | undefined;
  #lastEventId: string | undefined;

  constructor(app: ReturnType<ApiFixture['app']>) {
    this.#app = app;
  }

  /** The number up to which it was reported. */
  get sequence(): number {
    return Number(this.#lastEventId?.split('-')[1] ?? 0);
  }

  get held(): string[] {
    const all = [...this.#held].flatMap(([campaignId, events]) =>
      [...events].map(([seq, event]) => `${campaignId} ${seq} ${event}`),
    );
    return all.sort();
  }

  async connect(): Promise<void> {
    this.#watch ??= await StreamWatch.open(this.#app, { lastEventId: this.#lastEventId });
  }

  async disconnect(): Promise<void> {
    await this.#watch?.close();
    this.#watch = undefined;
  }

  /** Begins with what the ledger has; the next hello is of that or of more. */
  async load(pool: Pool): Promise<void> {
    for (const one of await settledJournal(pool)) {
      const [campaignId = '', seq, ...event] = one.split(' ');
      const events = this.#held.get(campaignId) ?? new Map<number, string>();
      events.set(Number(seq), event.join(' '));
      this.#held.set(campaignId, events);
    }
  }

  /** Takes messages until it was reported a change. */
  async takeUpTo(sequence: number): Promise<void> {
    while (this.sequence < sequence) await this.take();
  }

  /** Takes the next message, and applies it. */
  async take(): Promise<void> {
    await this.connect();
    const message = await this.#watch?.next();
    if (message === undefined) throw new Error('the stream ended');
    this.#apply(message);
    this.#lastEventId = message.id;
  }

  #apply({ event, data }: StreamMessage): void {
    if (event === 'reset' || event === 'end') throw new Error(`there is no reason for ${event}`);
    if (event === 'settled') {
      const events = this.#held.get(data.campaignId) ?? new Map<number, string>();
      for (const one of data.events) events.set(one.seq, identity(one));
      this.#held.set(data.campaignId, events);
    }
    if (event === 'retracted') {
      const events = this.#held.get(data.campaignId);
      for (const seq of events?.keys() ?? []) if (seq > data.afterSeq) events?.delete(seq);
    }
  }
}

/** An event as its name and its location on the chain. */
export function identity(event: { name: string; blockHash: string; logIndex: number }): string {
  return `${event.name} ${event.blockHash} ${event.logIndex}`;
}

/** What the ledger has at or below its settled block. */
export async function settledJournal(pool: Pool): Promise<string[]> {
  const rows = await pool<
    { campaign_id: string; seq: string; name: string; block_hash: string; log_index: number }[]
  >`
    select campaign_id, seq, name, block_hash, log_index from ledger.journal
    where block_number <= (select settled_number from ledger.head)`;
  return rows
    .map((row) => {
      const event = { name: row.name, blockHash: row.block_hash, logIndex: row.log_index };
      return `${row.campaign_id} ${row.seq} ${identity(event)}`;
    })
    .sort();
}

/** The number of the newest change. */
export async function newestSequence(pool: Pool): Promise<number> {
  const [row] = await pool<{ sequence: string }[]>`select sequence from ledger.head`;
  return Number(row?.sequence);
}
