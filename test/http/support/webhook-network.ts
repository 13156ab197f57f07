import { expect } from 'vitest';
import { WebhookMessage } from '../../../engine/contract/shapes/webhook.ts';
import type { EventName } from '../../../engine/core/events.ts';
import { contractEventTypes } from '../../../engine/core/webhook-events.ts';
import { createEndpoint } from '../../../engine/db/commerce/webhook-endpoints.ts';
import type { Pool } from '../../../engine/db/connection.ts';
import { Dispatcher } from '../../../engine/jobs/webhooks/dispatch.ts';
import { publishEvents } from '../../../engine/jobs/webhooks/publish.ts';
import type { SendOutcome, SendRequest } from '../../../engine/jobs/webhooks/send.ts';
import { seal } from '../../../engine/secrets/seal.ts';
import type { ApiFixture } from './api-fixture.ts';

/** The secret of every endpoint that a test makes. */
export const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

/**
 * What a receiver does with a request: `takes` it, `refuses` it, or takes it and its answer is `lost`; or
 * answers something else without taking it.
 */
export type Behaviour = 'takes' | 'refuses' | 'lost' | SendOutcome;

/** How an endpoint is made. */
export interface ReceiverOptions {
  readonly owner: `0x${string}`;
  readonly events?: readonly string[];
  readonly ordered?: boolean;
  /** What it does with its nth request, from 0; by default it takes each. */
  readonly behaviour?: (request: number) => Behaviour;
}

/** A receiver that stores what it gets, and does what docs/use/webhooks.md says. */
export class WebhookReceiver {
  readonly #options: ReceiverOptions;
  /** Every message that it took, in the order of arrival; an id that it knows is ignored. */
  readonly messages: WebhookMessage[] = [];
  /** Requests that were sent to it. */
  readonly requests: SendRequest[] = [];
  readonly #taken = new Set<string>();
  readonly #acknowledged = new Map<string, number>();

  constructor(
    readonly id: string,
    options: ReceiverOptions,
  ) {
    this.#options = options;
  }

  /** The events of the chain that it has and that were not retracted. */
  get held(): string[] {
    const retracted = new Set(this.messages.flatMap(({ data }) => data.retracts ?? []));
    return this.messages
      .filter(({ data }) => data.retracts === null && !retracted.has(data.eventId))
      .flatMap(({ type, data }) =>
        data.chain === null
          ? []
          : [`${data.campaignId} ${type} ${data.chain.blockHash} ${data.chain.logIndex}`],
      )
      .sort();
  }

  /** How often the event that it acknowledged most often was acknowledged. */
  get mostAcknowledged(): number {
    return Math.max(0, ...this.#acknowledged.values());
  }

  get types(): string[] {
    return this.messages.map(({ type }) => type);
  }

  receive(request: SendRequest): SendOutcome {
    const behaviour = this.#options.behaviour?.(this.requests.length) ?? 'takes';
    this.requests.push(request);
    if (typeof behaviour === 'object') return behaviour;
    if (behaviour === 'refuses') {
      return { kind: 'answered', status: 500, retryAfterSeconds: null, excerpt: 'no', ms: 1 };
    }
    const message = WebhookMessage.parse(JSON.parse(request.body));
    const id = request.headers['webhook-id'] ?? '';
    expect(message.data.eventId).toBe(id);
    if (!this.#taken.has(id)) this.messages.push(message);
    this.#taken.add(id);
    if (behaviour === 'lost')
      return { kind: 'failed', reason: 'The answer did not arrive.', ms: 1 };
    this.#acknowledged.set(id, (this.#acknowledged.get(id) ?? 0) + 1);
    return { kind: 'answered', status: 204, retryAfterSeconds: null, excerpt: '', ms: 1 };
  }
}

/** Makes deliveries and sends them to receivers of the test, with a clock that the test sets. */
export class WebhookNetwork {
  readonly #fixture: ApiFixture;
  readonly #receivers = new Map<string, WebhookReceiver>();
  #made = 0;
  /** Unix milliseconds. */
  now: number;

  constructor(fixture: ApiFixture, now = Date.UTC(2026, 0, 2)) {
    this.#fixture = fixture;
    this.now = now;
  }

  get #pool(): Pool {
    return this.#fixture.pool;
  }

  /** Makes an endpoint. */
  async add(options: ReceiverOptions): Promise<WebhookReceiver> {
    const { owner, events = ['*'], ordered = false } = options;
    this.#made += 1;
    const id = `endpoint-${this.#made}`;
    const url = `https://${id}.example/hook`;
    const made = await createEndpoint(this.#pool, {
      ...{ id, owner, events, isOrdered: ordered, url },
      secret: seal(SECRET, this.#fixture.deps.keys, 'webhook secret'),
      createdAt: new Date(this.now),
    });
    if (made === undefined) throw new Error('The endpoint was not made.');
    const receiver = new WebhookReceiver(id, options);
    this.#receivers.set(url, receiver);
    return receiver;
  }

  /** Makes deliveries of everything that has happened. */
  async publish(): Promise<void> {
    const { deployment, publicUrl, logger } = this.#fixture.deps;
    const context = {
      pool: this.#pool,
      deployment: { ...deployment, publicUrl },
      clock: () => this.now,
      log: logger,
    };
    while (await publishEvents(context));
  }

  /** A process that sends, until it has nothing to do. */
  dispatcher(
    send: (request: SendRequest) => SendOutcome | Promise<SendOutcome> = (request) =>
      this.receive(request),
  ): Dispatcher {
    return new Dispatcher({
      pool: this.#pool,
      keys: this.#fixture.deps.keys,
      sender: { send: async (request) => send(request) },
      clock: () => this.now,
      random: () => 0.5,
      log: this.#fixture.deps.logger,
    });
  }

  /** Hands a request to its receiver. */
  receive(request: SendRequest): SendOutcome {
    const receiver = this.#receivers.get(request.url);
    if (receiver === undefined) throw new Error(`No endpoint is at ${request.url}.`);
    return receiver.receive(request);
  }

  /** Sends what is due at this moment. @returns how many requests that took. */
  async send(): Promise<number> {
    const dispatcher = this.dispatcher();
    let sent = 0;
    for (;;) {
      const began = await dispatcher.begin();
      if (began === 0) return sent;
      sent += began;
      await dispatcher.idle();
    }
  }

  /** Publishes and sends until nothing is left but what waits for the finality of its block. */
  async drain(): Promise<void> {
    for (;;) {
      await this.publish();
      if ((await this.send()) > 0) continue;
      const next = await this.nextAttempt();
      if (next === null) return;
      this.now = Math.max(this.now + 1, next);
    }
  }

  /** When something is due next, unix milliseconds; `null` if nothing waits for a time. */
  async nextAttempt(): Promise<number | null> {
    const [row] = await this.#pool<{ at: Date | null; due: number }[]>`
      select min(at) filter (where at > ${new Date(this.now)}) as at, count(*)::int as due
      from (
        select greatest(next_attempt_at, paused_until) as at from commerce.webhook_delivery
        join commerce.webhook_endpoint endpoint on endpoint.id = webhook_delivery.endpoint_id
        where status = 'queued' and next_attempt_at < 'infinity' and endpoint.enabled
      ) queued`;
    if (row === undefined || row.due === 0) return null;
    if (row.at === null)
      throw new Error(`${row.due} deliveries are due, and no process sends them.`);
    return row.at.getTime();
  }
}

/** Events of a merchant's campaigns at or below the settled block, as a receiver holds them. */
export async function settledEvents(pool: Pool, merchant: string): Promise<string[]> {
  const rows = await pool<
    { campaign_id: string; name: EventName; block_hash: string; log_index: number }[]
  >`
    select journal.campaign_id, journal.name, journal.block_hash, journal.log_index
    from ledger.journal join ledger.campaign on campaign.campaign_id = journal.campaign_id
    where journal.block_number <= (select settled_number from ledger.head)
      and campaign.merchant = ${merchant}`;
  return rows
    .map(
      (row) =>
        `${row.campaign_id} ${contractEventTypes[row.name]} ${row.block_hash} ${row.log_index}`,
    )
    .sort();
}
