import { createParser } from 'eventsource-parser';
import type { StreamEventName, StreamMessage } from '../contract/shapes/stream.ts';
import { ApiError } from './error.ts';
import { readResponse } from './response.ts';

/** A message of the stream. The client handles `end` itself. */
export type StreamUpdate = Exclude<StreamMessage, { event: 'end' }>;

/** State of the connection; `waiting`: before the next attempt after a failure. */
export type StreamState = 'connecting' | 'open' | 'waiting';

/** Options of `client.stream`. */
export interface StreamOptions {
  /** Only changes of these campaigns, at most 20. */
  readonly campaignId?: readonly string[] | undefined;
  /** Only events that concern one of these accounts, at most 20. */
  readonly account?: readonly string[] | undefined;
  /** The `id` of the last message that was applied, from an earlier stream. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Called on each change of the connection's state. */
  readonly onState?: ((state: StreamState) => void) | undefined;
  /** Milliseconds before the first retry, doubled after each failure; default 1,000. */
  readonly retryMs?: number | undefined;
  /** Consecutive failures after which the stream throws; default 1,000, about 8 hours. */
  readonly maxFailures?: number | undefined;
  /** Milliseconds without any data after which a connection is closed; default 45,000. */
  readonly idleMs?: number | undefined;
}

/** Connection of a stream to the service. */
export interface StreamConnection {
  /** URL of the service, without /v1 and without a trailing slash. */
  readonly base: string;
  readonly send: typeof fetch;
}

const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
const MAX_FAILURES = 1_000;

/** Three heartbeats of the service. */
const IDLE_MS = 45_000;

/** Statuses that a retry would return again; other failures may be temporary. */
const FINAL_STATUSES = new Set([400, 401, 403, 404, 405]);

/** Known events; a newer service may send others, which are ignored. */
const known: Readonly<Record<StreamEventName, true>> = {
  hello: true,
  settled: true,
  retracted: true,
  head: true,
  reset: true,
  end: true,
};

/**
 * Follows `GET /v1/stream` (docs/reference/api.md#live): yields messages in order. After a lost connection it
 * reconnects with growing delays and resumes after the last yielded message; if the service cannot
 * resume, it sends `reset`. A slow consumer is disconnected by the service, and resumes.
 * @throws {ApiError} if the service refuses the request, or after too many consecutive failures.
 */
export async function* openStream(
  connection: StreamConnection,
  options: StreamOptions = {},
): AsyncGenerator<StreamUpdate> {
  const { signal, onState, maxFailures = MAX_FAILURES, retryMs = RETRY_MS } = options;
  let lastEventId = options.lastEventId;
  let failures = 0;
  while (!isAborted(signal)) {
    let retryAfterMs = 0;
    onState?.('connecting');
    try {
      for await (const message of connect(connection, { ...options, lastEventId })) {
        failures = 0;
        if (message.event === 'hello') onState?.('open');
        if (message.event !== 'end') yield message;
        lastEventId = message.event === 'end' ? message.data.resumeFrom : message.id;
      }
    } catch (error) {
      if (isAborted(signal)) return;
      failures += 1;
      const final = error instanceof ApiError && FINAL_STATUSES.has(error.status);
      if (final || failures > maxFailures) throw error;
      if (error instanceof ApiError) retryAfterMs = (error.retryAfter ?? 0) * 1_000;
    }
    onState?.('waiting');
    // A random delay spreads clients that were disconnected together.
    const spread = Math.random() * Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(failures, 20));
    await pause(retryAfterMs + spread, signal);
  }
}

/** Yields the messages of one connection. */
async function* connect(
  { base, send }: StreamConnection,
  { campaignId, account, lastEventId, signal, idleMs = IDLE_MS }: StreamOptions,
): AsyncGenerator<StreamMessage> {
  const query = new URLSearchParams();
  if (campaignId !== undefined) query.set('campaignId', campaignId.join(','));
  if (account !== undefined) query.set('account', account.join(','));
  const url = `${base}/v1/stream${query.size > 0 ? `?${query}` : ''}`;
  const idle = new IdleTimeout(idleMs);
  const ending = signal ? AbortSignal.any([signal, idle.signal]) : idle.signal;
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
  try {
    const init: RequestInit = { headers, credentials: 'omit', signal: ending };
    const response = await send(url, init).catch((cause: unknown) => {
      throw networkError(`The stream got no answer from ${base}.`, cause);
    });
    yield* messagesOf(response, idle, ending);
  } finally {
    idle.stop();
  }
}

async function* messagesOf(
  response: Response,
  idle: IdleTimeout,
  ending: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const type = response.headers.get('content-type') ?? '';
  // Reading an error response throws it.
  if (!response.ok) await readResponse(response);
  if (response.body === null || !type.startsWith('text/event-stream')) {
    const { status } = response;
    const message = `The service answered ${type || 'nothing'}, and not a stream.`;
    throw new ApiError(message, { code: 'BAD_RESPONSE', status });
  }
  const waiting: StreamMessage[] = [];
  const parser = createParser({
    onEvent: ({ event, id, data }) => {
      if (event !== undefined && id !== undefined && isKnown(event)) {
        waiting.push(messageOf(event, id, data));
      }
    },
  });
  const reader = response.body.getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  ending.addEventListener('abort', cancel);
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw networkError('The stream was cut.', cause);
      });
      if (isAborted(ending)) throw networkError('The stream said nothing any more.', ending.reason);
      if (done) return;
      idle.restart();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* waiting.splice(0);
      // The consumer's own time does not count as silence of the service.
      idle.restart();
    }
  } finally {
    ending.removeEventListener('abort', cancel);
    cancel();
  }
}

function isKnown(event: string): event is StreamEventName {
  return Object.hasOwn(known, event);
}

function messageOf(event: StreamEventName, id: string, data: string): StreamMessage {
  // Not validated: a newer service may send more fields than this client knows.
  return { event, id, data: JSON.parse(data) } as StreamMessage;
}

function networkError(message: string, cause: unknown): ApiError {
  return new ApiError(message, { code: 'NETWORK', status: 0, cause });
}

/** Aborts a connection without data for too long: a broken network path reports no error. */
class IdleTimeout {
  readonly #controller = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(readonly milliseconds: number) {
    this.restart();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.stop();
    this.#timer = setTimeout(() => this.#controller.abort(), this.milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Waits, or returns early if the signal aborts. */
async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
    if (isAborted(signal)) done();
  });
}
