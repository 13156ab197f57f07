import { sentBody } from '../../core/webhook-message.ts';
import {
  type AttemptResult,
  type ClaimedDelivery,
  claimDeliveries,
  type EndpointChange,
  noteDisabled,
  readFailures,
  reclaimLost,
  saveAttempt,
} from '../../db/commerce/webhook-dispatch.ts';
import type { Pool } from '../../db/connection.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import { unseal } from '../../secrets/seal.ts';
import { Attempts } from '../attempts.ts';
import { MAX_ATTEMPTS, nextAttemptMs } from './schedule.ts';
import type { SendOutcome, WebhookSender } from './send.ts';
import { webhookHeaders } from './sign.ts';

/** Deliveries that one process sends at the same time. */
const CONCURRENCY = 64;

/** Milliseconds after which an attempt without an outcome counts as lost: longer than one may take. */
const LEASE_MS = 60_000;

/** Milliseconds between two looks for lost attempts. */
const RECLAIM_MS = 10_000;

/** Failures in a row after which an endpoint is left alone for a while. */
const PAUSE_AFTER = 5;

/** Milliseconds of the first and of the longest pause. */
const PAUSE_MS = { first: 5_000, longest: 300_000 } as const;

/** Milliseconds of nothing but failures after which an endpoint is turned off: 5 days. */
const DISABLE_MS = 5 * 86_400_000;

/** HTTP statuses. */
const GONE = 410;
const THROTTLED: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Everything that sending needs from outside. */
export interface DispatchContext {
  readonly pool: Pool;
  readonly keys: SecretKeys;
  readonly sender: Pick<WebhookSender, 'send'>;
  /** Unix milliseconds. */
  readonly clock: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
  readonly log: {
    warn(fields: object, message: string): void;
    error(fields: object, message: string): void;
  };
  /** Called with the outcome of each attempt: `failed` got no answer. */
  readonly onAttempt?: (outcome: 'sent' | 'refused' | 'failed') => void;
}

/** Sends what is due, until it is stopped. Any number of processes may run: each delivery is claimed by one. */
export class Dispatcher {
  readonly #context: DispatchContext;
  readonly #attempts: Attempts;
  /** Unix milliseconds. */
  #reclaimedAt = 0;

  /** @param onEnded called when an attempt has ended, so that the next may begin. */
  constructor(context: DispatchContext, onEnded: () => void = () => {}) {
    this.#context = context;
    this.#attempts = new Attempts({
      limit: CONCURRENCY,
      onError: (error) =>
        context.log.error({ err: error }, 'an attempt at a webhook could not be stored'),
      onEnded,
    });
  }

  /**
   * Claims what is due, and begins to send it.
   * @returns how many deliveries it began.
   */
  async begin(): Promise<number> {
    const { pool, clock } = this.#context;
    const now = new Date(clock());
    if (now.getTime() - this.#reclaimedAt >= RECLAIM_MS) {
      await reclaimLost(pool, now, { leaseMs: LEASE_MS, maxAttempts: MAX_ATTEMPTS });
      this.#reclaimedAt = now.getTime();
    }
    const limit = this.#attempts.room;
    if (limit === 0) return 0;
    const claimed = await claimDeliveries(pool, now, { limit, leaseMs: LEASE_MS });
    for (const delivery of claimed) this.#attempts.add(deliver(this.#context, delivery));
    return claimed.length;
  }

  /** Resolves once all running attempts have ended. */
  async idle(): Promise<void> {
    await this.#attempts.idle();
  }
}

/** Makes one attempt at a delivery, and stores how it ended. */
async function deliver(context: DispatchContext, delivery: ClaimedDelivery): Promise<void> {
  const { pool, clock } = context;
  const startedAt = new Date(clock());
  const outcome = await attemptOf(context, delivery, startedAt);
  context.onAttempt?.(
    outcome.kind === 'failed' ? 'failed' : isSuccess(outcome.status) ? 'sent' : 'refused',
  );
  const failed = await pool.begin(async (sql) => {
    const now = new Date(clock());
    const failures = await readFailures(sql, delivery.endpointId);
    const { result, change } = consequences(context, delivery, outcome, {
      startedAt,
      now,
      failures: failures?.failures ?? 0,
      failingSince: failures?.failingSince ?? null,
    });
    if (!(await saveAttempt(sql, result, change, now))) return null;
    await noteDisabled(sql, delivery.endpointId, now);
    return change.disabledReason;
  });
  if (failed !== null) {
    context.log.warn(
      { endpoint: delivery.endpointId, reason: failed },
      'a webhook endpoint was turned off',
    );
  }
}

async function attemptOf(
  { keys, sender }: DispatchContext,
  { body, finality, eventId, url, ...sealed }: ClaimedDelivery,
  timestamp: Date,
): Promise<SendOutcome> {
  const old =
    sealed.oldSecretExpiresAt !== null && sealed.oldSecretExpiresAt > timestamp
      ? sealed.oldSecret
      : null;
  const secrets = [sealed.secret, old].flatMap((secret) => {
    const opened = secret && unseal(secret, keys, 'webhook secret');
    return opened ? [opened.text] : [];
  });
  if (secrets.length === 0) {
    return {
      kind: 'failed',
      reason: 'The secret of the endpoint cannot be read: rotate it.',
      ms: 0,
    };
  }
  const text = JSON.stringify(sentBody(body, finality));
  // Signed again for each attempt: a receiver refuses a timestamp that is too old.
  const headers = webhookHeaders({ id: eventId, timestamp, body: text, secrets });
  return await sender.send({ url, headers, body: text });
}

/** Facts that are known when an attempt has ended. */
interface Ended {
  readonly startedAt: Date;
  readonly now: Date;
  readonly failures: number;
  readonly failingSince: Date | null;
}

/** Consequences of an outcome for the delivery, and for its endpoint. */
function consequences(
  { random }: DispatchContext,
  { id: deliveryId, attempt }: ClaimedDelivery,
  outcome: SendOutcome,
  { startedAt, now, failures, failingSince }: Ended,
): { result: AttemptResult; change: EndpointChange } {
  const answered = outcome.kind === 'answered';
  const status = answered ? outcome.status : null;
  const isDelivered = status !== null && isSuccess(status);
  const retryAfterSeconds = answered ? outcome.retryAfterSeconds : null;
  const wait =
    isDelivered || status === GONE ? null : nextAttemptMs(attempt, { retryAfterSeconds, random });
  const next = wait === null ? null : new Date(now.getTime() + wait);
  const result: AttemptResult = {
    ...{ deliveryId, attempt, startedAt },
    latencyMs: Math.round(outcome.ms),
    httpStatus: status,
    error: answered ? null : outcome.reason.slice(0, 500),
    excerpt: answered ? outcome.excerpt : null,
    next: isDelivered ? 'delivered' : next,
  };
  if (isDelivered) return { result, change: { pausedUntil: null, disabledReason: null } };
  const isTooLong = failingSince !== null && now.getTime() - failingSince.getTime() >= DISABLE_MS;
  const asked = status !== null && THROTTLED.has(status) ? retryAfterSeconds : null;
  return {
    result,
    change: {
      pausedUntil: pauseOf(now, failures + 1, asked),
      disabledReason: reasonToDisable(status, isTooLong),
    },
  };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function reasonToDisable(status: number | null, isTooLong: boolean): string | null {
  if (status === GONE) return 'It answered 410: it wants no more events.';
  return isTooLong ? 'Every attempt has failed for 5 days.' : null;
}

/** Until when an endpoint is left alone: as it asked, or longer with each failure in a row. */
function pauseOf(now: Date, failures: number, askedSeconds: number | null): Date | null {
  const doublings = failures - PAUSE_AFTER;
  const own = doublings < 0 ? 0 : Math.min(PAUSE_MS.longest, PAUSE_MS.first * 2 ** doublings);
  const asked = Math.min((askedSeconds ?? 0) * 1_000, 86_400_000);
  const pause = Math.max(own, asked);
  return pause === 0 ? null : new Date(now.getTime() + pause);
}
