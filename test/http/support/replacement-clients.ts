import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { ApiError, type Client } from '../../../engine/client/index.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { waitFor } from '../../support/wait-for.ts';
import { identity, newestSequence, settledJournal } from './follower.ts';

/** Attempts of one write before its client gives up: after half a minute, as with an API that starts again. */
const MAX_ATTEMPTS = 36;

/** Milliseconds after the first attempt of a write. Each later pause is longer, up to the limit. */
const PAUSE_MS = 25;
const MAX_PAUSE_MS = 1_000;

/** Milliseconds between a template and the next: an account may write 300 times a minute. */
const REST_MS = 200;

/** Policy of templates that tests store. */
export const policy = {
  commissionBps: 500,
  maxRewardedAncestors: 1,
  weightsBps: [10_000],
  holdSeconds: 60,
};

/**
 * Stores policy templates of a merchant and deletes them, until it is stopped. Each `POST` has an Idempotency-Key. If
 * it gets no answer, the same is sent again with the same key, as docs/reference/api.md says.
 */
export class WritingClient {
  /** Templates that were stored and then deleted. */
  written = 0;
  /** Attempts that failed and were repeated. */
  readonly repeated: string[] = [];
  readonly #failures: string[] = [];
  readonly #running: Promise<void>;
  #stopped = false;

  /** @param client with the session of a merchant. */
  constructor(
    readonly client: Client,
    readonly pool: Pool,
  ) {
    this.#running = this.#run();
  }

  /** Waits for that many more templates. */
  async more(count: number): Promise<void> {
    const target = this.written + count;
    await waitFor(() => this.written >= target || this.#failures.length > 0, {
      what: `${count} more writes`,
      timeout: 60_000,
    });
  }

  /** Stops, and compares: every write that was answered took effect once, and none took effect twice. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
    expect(this.#failures).toEqual([]);
    // All were deleted, so a template that is left was stored twice.
    expect(await this.pool`select name from commerce.policy_template`).toEqual([]);
  }

  async #run(): Promise<void> {
    const { studio } = this.client;
    for (let n = 1; !this.#stopped && this.#failures.length === 0; n += 1) {
      const name = `template ${n}`;
      try {
        const { data } = await this.#attempts(`POST of ${name}`, () =>
          studio.saveTemplate({ name, policy }, { idempotencyKey: `key-${n}` }),
        );
        const stored = await this.pool`
          select id from commerce.policy_template where name = ${name}`;
        expect(stored, name).toEqual([{ id: data.id }]);
        await this.#attempts(`DELETE of ${name}`, (attempt) =>
          studio.deleteTemplate({ id: data.id }).catch((error: unknown) => {
            // An earlier attempt deleted it.
            if (!(attempt > 1 && error instanceof ApiError && error.status === 404)) throw error;
          }),
        );
        this.written += 1;
      } catch (error) {
        this.#failures.push(`${name}: ${error}`);
      }
      await setTimeout(REST_MS);
    }
  }

  async #attempts<T>(what: string, send: (attempt: number) => Promise<T>): Promise<T> {
    return await untilAnswered(send, (error) => this.repeated.push(`${what}: ${error}`));
  }
}

/**
 * Sends a request until it is answered: again if there was no answer, or one that says that the same can be sent again.
 * @param send gets the number of the attempt, from 1.
 * @param onRepeat is called before each repetition.
 */
export async function untilAnswered<T>(
  send: (attempt: number) => Promise<T>,
  onRepeat: (error: ApiError) => void,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send(attempt);
    } catch (error) {
      if (attempt === MAX_ATTEMPTS || !isRepeatable(error)) throw error;
      onRepeat(error);
      const pauseMs = Math.min(PAUSE_MS * 1.5 ** (attempt - 1), MAX_PAUSE_MS);
      await setTimeout((error.retryAfter ?? 0) * 1_000 + pauseMs);
    }
  }
}

/** True if there was no answer, or one that says that the same can be sent again (docs/reference/api.md#repeating-a-write). */
function isRepeatable(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return [0, 429, 502, 503, 504].includes(error.status) || error.retryAfter !== null;
}

/** Follows the stream by the typed client, which connects again with the id of the last message that it has. */
export class FollowingClient {
  readonly #sequences: number[] = [];
  readonly #events: string[] = [];
  readonly #hellos: { readonly sequence: number; readonly resumed: boolean }[] = [];
  readonly #others: string[] = [];
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #before: readonly string[] = [];

  private constructor(
    client: Client,
    readonly pool: Pool,
  ) {
    this.#running = this.#run(client);
  }

  /** Connects; nothing may be settled meanwhile. */
  static async open(client: Client, pool: Pool): Promise<FollowingClient> {
    const before = await settledJournal(pool);
    const one = new FollowingClient(client, pool);
    one.#before = before;
    await one.connected(1);
    return one;
  }

  /** Connections that began with `hello`. */
  get connections(): number {
    return this.#hellos.length;
  }

  /** Waits until it has connected that many times. */
  async connected(count: number): Promise<void> {
    await waitFor(() => this.connections >= count, { what: `${count} connections of a stream` });
  }

  /** Waits for what is settled, stops, and compares: it got every event and every change, each once and in order. */
  async stop(): Promise<void> {
    const newest = await newestSequence(this.pool);
    await waitFor(() => (this.#sequences.at(-1) ?? 0) >= newest, { what: `change ${newest}` });
    this.#stopping.abort();
    await this.#running;
    const [first, ...later] = this.#hellos;
    expect(first).toMatchObject({ resumed: false });
    expect(later.filter(({ resumed }) => !resumed)).toEqual([]);
    expect(this.#others).toEqual([]);
    const from = (first?.sequence ?? 0) + 1;
    expect(newest).toBeGreaterThan(from);
    expect(this.#sequences).toEqual(
      Array.from({ length: newest - from + 1 }, (_, index) => from + index),
    );
    const settled = await settledJournal(this.pool);
    expect([...this.#before, ...this.#events].sort()).toEqual(settled);
  }

  async #run(client: Client): Promise<void> {
    const stream = client.stream({
      signal: this.#stopping.signal,
      retryMs: 100,
    });
    for await (const { event, data } of stream) {
      if (event === 'hello') this.#hellos.push(data);
      else if (event === 'settled') {
        this.#sequences.push(data.sequence);
        for (const one of data.events) {
          this.#events.push(`${data.campaignId} ${one.seq} ${identity(one)}`);
        }
      } else if (event !== 'head') this.#others.push(event);
    }
  }
}
