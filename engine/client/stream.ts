import { createParser } from 'eventsource-parser';
import type { StreamEventName, StreamMessage } from '../contract/shapes/stream.ts';
import { ApiError } from './error.ts';
import { readResponse } from './response.ts';
import { isAborted, pause, Silence } from './stream-timing.ts';

/** What the stream tells. The client reads `end` itself, and goes on. */
export type StreamUpdate = Exclude<StreamMessage, { event: 'end' }>;

/** `waiting` for the next try after a connection was lost, or could not be made. */
export type StreamState = 'connecting' | 'open' | 'waiting';

export interface StreamOptions {
  /** Only changes of these campaigns, 20 at most. */
  readonly campaignId?: readonly string[] | undefined;
  /** Only events that concern one of these accounts, 20 at most. */
  readonly account?: readonly string[] | undefined;
  /** The `id` of the last message that was applied, from an earlier stream. */
  readonly lastEventId?: string | undefined;
  /** Ends the stream. */
  readonly signal?: AbortSignal | undefined;
  /** Told of each change of the connection. */
  readonly onState?: ((state: StreamState) => void) | undefined;
  /** Milliseconds before the first try again, doubled with each that fails; default 1,000. */
  readonly retryMs?: number | undefined;
  /** Tries in a row that may fail before the stream throws; default 1,000, some 8 hours. */
  readonly failuresMost?: number | undefined;
  /** Milliseconds without a sign of life after which a connection is given up; default 45,000. */
  readonly silenceMs?: number | undefined;
}

/** How the stream reaches the service. */
export interface StreamConnection {
  /** Of the service, without /v1 and without a slash at the end. */
  readonly base: string;
  readonly send: typeof fetch;
}

const RETRY_MS = 1_000;
const RETRY_MS_MOST = 30_000;
const FAILURES_MOST = 1_000;

/** Three heartbeats of the service. */
const SILENCE_MS = 45_000;

/** Failures that the same request meets again; any other may pass. */
const FINAL_STATUSES = new Set([400, 401, 403, 404, 405]);

/** Of a newer service there may be others: they are left out. */
const known: Readonly<Record<StreamEventName, true>> = {
  hello: true,
  settled: true,
  retracted: true,
  head: true,
  reset: true,
  end: true,
};

/**
 * Follows `GET /v1/stream`: messages in order, each once it was asked for. A lost connection is made
 * again, with growing waits, and goes on after the last message that was taken; where the service
 * cannot do that it says `reset`. A reader that takes its time is cut by the service, and resumes.
 * @throws {ApiError} where the service refuses the request, or too many tries in a row have failed.
 */
export async function* openStream(
  connection: StreamConnection,
  options: StreamOptions = {},
): AsyncGenerator<StreamUpdate> {
  const { signal, onState, failuresMost = FAILURES_MOST, retryMs = RETRY_MS } = options;
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
      if (final || failures > failuresMost) throw error;
      if (error instanceof ApiError) retryAfterMs = (error.retryAfter ?? 0) * 1_000;
    }
    onState?.('waiting');
    // Readers that were cut together come back one by one.
    const spread = Math.random() * Math.min(RETRY_MS_MOST, retryMs * 2 ** Math.min(failures, 20));
    await pause(retryAfterMs + spread, signal);
  }
}

/** The messages of one connection. */
async function* connect(
  { base, send }: StreamConnection,
  { campaignId, account, lastEventId, signal, silenceMs = SILENCE_MS }: StreamOptions,
): AsyncGenerator<StreamMessage> {
  const query = new URLSearchParams();
  if (campaignId !== undefined) query.set('campaignId', campaignId.join(','));
  if (account !== undefined) query.set('account', account.join(','));
  const url = `${base}/v1/stream${query.size > 0 ? `?${query}` : ''}`;
  const silence = new Silence(silenceMs);
  const ending = signal ? AbortSignal.any([signal, silence.signal]) : silence.signal;
  const headers: Record<string, string> = { accept: 'text/event-stream' };
  if (lastEventId !== undefined) headers['last-event-id'] = lastEventId;
  try {
    const init: RequestInit = { headers, credentials: 'omit', signal: ending };
    const response = await send(url, init).catch((cause: unknown) => {
      throw networkError(`The stream got no answer from ${base}.`, cause);
    });
    yield* messagesOf(response, silence, ending);
  } finally {
    silence.stop();
  }
}

async function* messagesOf(
  response: Response,
  silence: Silence,
  ending: AbortSignal,
): AsyncGenerator<StreamMessage> {
  const type = response.headers.get('content-type') ?? '';
  // Reading an error as an answer throws it.
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
      silence.heard();
      parser.feed(decoder.decode(value, { stream: true }));
      yield* waiting.splice(0);
      // The time that the reader took is not the service's silence.
      silence.heard();
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
  // Handed on as it came: a newer service may say more than this client knows.
  return { event, id, data: JSON.parse(data) } as StreamMessage;
}

function networkError(message: string, cause: unknown): ApiError {
  return new ApiError(message, { code: 'NETWORK', status: 0, cause });
}
