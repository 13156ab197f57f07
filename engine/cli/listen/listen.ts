import { EventEmitter, once } from 'node:events';
import pRetry from 'p-retry';
import type { Client, StreamUpdate } from '../../client/index.ts';
import type { WebhookBody } from '../../core/webhook-message.ts';
import type { Delivery, Forwarder } from './forwarder.ts';
import { isAccepted, type PostResult, postWebhook, type Receiver } from './post.ts';

/** Attempts of one delivery. */
export const MAX_ATTEMPTS = 4;

/** Milliseconds before the second attempt; doubled before each further one. */
const FIRST_PAUSE_MS = 1_000;

/** Deliveries that may be ready before the stream is read further. */
const MAX_READY = 1_000;

/** One attempt to deliver a webhook. */
export interface Attempt extends PostResult {
  readonly body: WebhookBody;
  /** 1 for the first. */
  readonly number: number;
}

type ResetReason = Extract<StreamUpdate, { event: 'reset' }>['data']['reason'];

export interface ListenOptions extends Pick<Receiver, 'url' | 'secret'> {
  readonly client: Pick<Client, 'stream'>;
  readonly forwarder: Forwarder;
  /** Only changes of these campaigns, at most 20. */
  readonly campaignId?: readonly string[] | undefined;
  /** Only events that concern one of these accounts, at most 20. */
  readonly account?: readonly string[] | undefined;
  /** Id of a message of the stream to resume after. */
  readonly from?: string | undefined;
  /** Ends it. */
  readonly signal: AbortSignal;
  readonly onAttempt: (attempt: Attempt) => void;
  /** Called if the service cannot resume, so that events are missing. */
  readonly onReset: (reason: ResetReason) => void;
  /** Called when the stream is open, also again after a lost connection. */
  readonly onOpen: () => void;
  /** Milliseconds before the second attempt; default 1,000. */
  readonly firstPauseMs?: number;
}

/**
 * Forwards events of the stream as webhooks, one after the other, until the signal aborts. The stream is
 * read meanwhile, so that a retraction cancels what was not sent yet.
 * @throws {ApiError} if the service refuses the stream.
 */
export async function listen(options: ListenOptions): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([options.signal, ended.signal]);
  const changes = new EventEmitter();
  const run = { ...options, signal, changes };
  // If one of them fails, the other one ends too.
  const end = () => ended.abort();
  const results = await Promise.allSettled([
    readStream(run).finally(end),
    sendAll(run).finally(end),
  ]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

interface Run extends ListenOptions {
  /** Emits `taken` after each message of the stream, and `sent` after each delivery. */
  readonly changes: EventEmitter;
}

async function readStream(run: Run): Promise<void> {
  const { client, forwarder, signal, changes, campaignId, account, from } = run;
  const filter = { campaignId, account, lastEventId: from, signal };
  for await (const message of client.stream(filter)) {
    if (message.event === 'hello') run.onOpen();
    if (message.event === 'reset') run.onReset(message.data.reason);
    forwarder.take(message);
    changes.emit('taken');
    while (forwarder.readyCount >= MAX_READY && !signal.aborted) {
      await untilNext(run, 'sent');
    }
  }
}

async function sendAll(run: Run): Promise<void> {
  const { forwarder, signal, changes } = run;
  while (!signal.aborted) {
    const delivery = forwarder.next();
    if (delivery === undefined) {
      await untilNext(run, 'taken');
      continue;
    }
    const accepted = await deliver(run, delivery);
    // An interrupted delivery remains unfinished, so that a later run sends it.
    if (signal.aborted) return;
    forwarder.finish(accepted);
    changes.emit('sent');
  }
}

/** Sends a delivery, with retries. @returns true if the receiver has accepted it. */
async function deliver(run: Run, { body }: Delivery): Promise<boolean> {
  const { forwarder, signal, onAttempt, firstPauseMs = FIRST_PAUSE_MS } = run;
  const attempt = async (number: number) => {
    if (forwarder.isCancelled) return false;
    const result = await postWebhook(run, body, signal);
    onAttempt({ ...result, body, number });
    if (!isAccepted(result)) throw new Error('The receiver has not accepted the webhook.');
    return true;
  };
  return await pRetry(attempt, {
    retries: MAX_ATTEMPTS - 1,
    minTimeout: firstPauseMs,
    signal,
  }).catch(() => false);
}

async function untilNext({ changes, signal }: Run, event: 'taken' | 'sent'): Promise<void> {
  // Aborting rejects it, and the callers check the signal.
  await once(changes, event, { signal }).catch(() => {});
}
