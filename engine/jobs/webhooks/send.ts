import { Agent, request } from 'undici';
import { plainText } from '../../core/plain-text.ts';
import { AddressRules } from '../../net/address-rules.ts';
import { type WebhookUrlOptions, webhookUrlIssue } from '../../net/webhook-url.ts';
import { guardedConnector, type Lookup } from './guarded-connector.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { failureSentence, SendFailure } from './send-failure.ts';

/** Result of one delivery attempt. `ms` is the duration in milliseconds. */
export type SendOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Seconds to wait before the next attempt; `null` if the receiver named none. */
      readonly retryAfterSeconds: number | null;
      /** Beginning of the answer as one line of plain text, at most 1,024 characters. */
      readonly excerpt: string;
      readonly ms: number;
    }
  | {
      readonly kind: 'failed';
      /** Sentence for the owner of the endpoint. */
      readonly reason: string;
      readonly ms: number;
    };

/** One delivery attempt. */
export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the attempt, which then counts as failed. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a `WebhookSender`. */
export interface SenderOptions extends WebhookUrlOptions {
  /** Looks up DNS names. Default: the system's resolver. */
  readonly lookup?: Lookup;
  /** Certificates (PEM) to trust instead of those that Node trusts. */
  readonly ca?: string;
  /** Milliseconds for lookup and TCP together, and again for TLS. Default: 3 seconds. */
  readonly connectMs?: number;
  /** Milliseconds until a whole attempt ends. Default: 15 seconds. */
  readonly totalMs?: number;
  /** Milliseconds since 1970, for `Retry-After` with a date. Default: `Date.now`. */
  readonly now?: () => number;
}

const CONNECT_MS = 3_000;
const TOTAL_MS = 15_000;

/** Longest time that an idle connection stays open for the next attempt. */
const MAX_IDLE_MS = 10_000;
const MAX_HEADER_BYTES = 16 * 1_024;
const MAX_ANSWER_BYTES = 64 * 1_024;
const EXCERPT_BYTES = 1_024;

/**
 * Sends webhooks to URLs of users, to public addresses only (docs/use/webhooks.md#what-a-delivery-may-not-do).
 * Redirects are not followed. An answer counts from its status on: if its body is too slow, too large or
 * cut off, the rest is dropped and the connection closed.
 *
 * @example
 * const sender = new WebhookSender({ allowCidrs: [], allowLoopback: false });
 * await sender.send({ url, headers: webhookHeaders({ id, timestamp, body, secrets }), body });
 */
export class WebhookSender {
  readonly #urls: WebhookUrlOptions;
  readonly #agent: Agent;
  readonly #totalMs: number;
  readonly #now: () => number;

  /** @throws {TypeError} if a range of `allowCidrs` is malformed. */
  constructor(options: SenderOptions) {
    const { allowCidrs, allowLoopback, ownUrl, lookup, ca, connectMs = CONNECT_MS } = options;
    this.#urls = { allowCidrs, allowLoopback, ownUrl };
    this.#totalMs = options.totalMs ?? TOTAL_MS;
    this.#now = options.now ?? Date.now;
    // A connection that is used again was checked when it was opened, and its address cannot change.
    this.#agent = new Agent({
      connect: guardedConnector({
        rules: new AddressRules(this.#urls),
        lookup,
        ca,
        connectMs,
      }),
      keepAliveMaxTimeout: MAX_IDLE_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
  }

  /** Sends a POST and waits for the answer. Never throws: every failure is an outcome. */
  async send({ url, headers, body, signal }: SendRequest): Promise<SendOutcome> {
    const startedAt = performance.now();
    const ms = () => Math.round(performance.now() - startedAt);
    const issue = webhookUrlIssue(url, this.#urls);
    if (issue !== undefined) return { kind: 'failed', reason: `The URL ${issue}.`, ms: ms() };

    const ending = new AbortController();
    const cancel = () => ending.abort(new SendFailure('The delivery was cancelled.'));
    const timer = setTimeout(() => {
      const seconds = Math.round(this.#totalMs / 1_000);
      ending.abort(new SendFailure(`No answer came within ${seconds} seconds.`));
    }, this.#totalMs);
    signal?.addEventListener('abort', cancel);
    if (signal?.aborted) cancel();
    try {
      ending.signal.throwIfAborted();
      const answer = await request(url, {
        method: 'POST',
        headers,
        body,
        dispatcher: this.#agent,
        signal: ending.signal,
      });
      return {
        kind: 'answered',
        status: answer.statusCode,
        retryAfterSeconds: retryAfterSeconds(answer.headers['retry-after'], this.#now()),
        excerpt: await readExcerpt(answer.body),
        ms: ms(),
      };
    } catch (error) {
      return { kind: 'failed', reason: failureSentence(error), ms: ms() };
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    }
  }

  /** Waits for attempts in progress and closes all connections. Later attempts fail. */
  async close(): Promise<void> {
    await this.#agent.close();
  }
}

/** Reads an answer up to its limit, and returns the beginning as text. */
async function readExcerpt(body: AsyncIterable<Buffer>): Promise<string> {
  const beginning: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      if (bytes < EXCERPT_BYTES) beginning.push(chunk);
      bytes += chunk.length;
      // Leaving the loop closes the connection.
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The body was cut off or is too slow. The status came before.
  }
  return excerptOf(Buffer.concat(beginning).subarray(0, EXCERPT_BYTES));
}

/** One line of plain text, with white space as single spaces. */
function excerptOf(bytes: Uint8Array): string {
  // A character of several bytes that is cut at the end is dropped.
  const text = new TextDecoder().decode(bytes, { stream: true });
  return plainText(text.replace(/\s+/g, ' ').trim(), EXCERPT_BYTES);
}
