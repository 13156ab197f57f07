import { setTimeout } from 'node:timers/promises';
import type { PublicClient } from 'viem';
import {
  boundedClient,
  cancellableClient,
  type JsonRpcRequest,
  rpcClient,
} from '../../chain/client.ts';
import {
  failureOf,
  httpStatusOf,
  isAbsent,
  isLimited,
  isPruned,
  isRateLimited,
  refusalOf,
  rpcWords,
} from '../../chain/errors.ts';
import { withoutSecrets } from './secrets.ts';

/** Calls that one RPC may be asked: what a free plan does not notice. */
const MAX_CALLS = 60;

/** Milliseconds that a call may take, as in settlement. */
const CALL_MS = 5_000;

/** Milliseconds that all calls to an RPC may take. */
const RUN_MS = 45_000;

/**
 * Milliseconds between two calls after the first refusal for the rate of requests: twice as many after each further one, and
 * half as many after each answer.
 */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 2_000;

/** Refusals for the rate of requests up to which a refused call is sent once more: further ones are believed. */
const MAX_RETRIED = 3;

/** An answer. Only a value, and the RPC's word that it does not have something, say what the RPC can do. */
export type Answer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'no'; readonly reason: string }
  | {
      readonly kind: 'unknown';
      /** The RPC's failure, as the end of a sentence. */
      readonly reason: string;
      /** True if the RPC refused because of the rate of requests. */
      readonly isRateLimit: boolean;
    };

/** Limits of what one RPC may be asked. */
export interface AskerLimits {
  readonly maxCalls?: number;
  readonly callMs?: number;
  readonly runMs?: number;
  /** Milliseconds between two calls after the first refusal for the rate of requests. */
  readonly firstPauseMs?: number;
}

/**
 * Asks one RPC, within limits. The same request is sent once: its answer is remembered. After a refusal for the rate of
 * requests it asks more slowly.
 */
export class Asker {
  /** Host and port, without the rest of the URL, which may hold a key. */
  readonly host: string;
  /** Sends requests within the limits, for code that needs a client. */
  readonly client: PublicClient;
  /** JSON-RPC calls that were sent; each of a batch counts. */
  calls = 0;
  /** Calls that the RPC refused because of the rate of requests. */
  rateLimited = 0;
  readonly #maxCalls: number;
  readonly #callMs: number;
  readonly #endsAt: number;
  readonly #firstPauseMs: number;
  readonly #known = new Map<string, unknown>();
  readonly #durations: number[] = [];
  #pauseMs = 0;

  constructor(
    readonly url: string,
    {
      maxCalls = MAX_CALLS,
      callMs = CALL_MS,
      runMs = RUN_MS,
      firstPauseMs = FIRST_PAUSE_MS,
    }: AskerLimits = {},
  ) {
    this.host = new URL(url).host;
    this.#maxCalls = maxCalls;
    this.#callMs = callMs;
    this.#firstPauseMs = firstPauseMs;
    this.#endsAt = performance.now() + runMs;
    const bounds = { deadlineMs: runMs, maxRequests: maxCalls };
    this.client = boundedClient(cancellableClient([url], callMs), bounds, (request, send) =>
      this.#once(request, () => send(request)),
    );
  }

  /** Calls that may still be sent: none after the time for all of them. */
  get left(): number {
    return performance.now() < this.#endsAt ? this.#maxCalls - this.calls : 0;
  }

  /** Middle of the times that single calls took, in milliseconds. */
  get medianMs(): number {
    const sorted = this.#durations.toSorted((a, b) => a - b);
    return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
  }

  /** Asks one thing. Never rejects. */
  async ask(method: string, params: readonly unknown[] = []): Promise<Answer> {
    return await this.#answer(this.#request({ method, params }));
  }

  /**
   * The result of a request, for code that reads the errors of an RPC.
   * @throws the error of the request.
   */
  request = async (request: JsonRpcRequest): Promise<unknown> => await this.#request(request);

  /** Asks several things in one JSON-RPC batch, as settlement does. Never rejects. */
  async batch(requests: readonly JsonRpcRequest[]): Promise<readonly Answer[]> {
    if (requests.length > this.left) return requests.map(() => OUT_OF_CALLS);
    await this.#pause();
    this.calls += requests.length;
    const limits = { timeoutMs: this.#callMs, deadlineMs: this.#callMs, splits: false };
    const client = rpcClient([this.url], { batchSize: requests.length, ...limits });
    return await Promise.all(
      requests.map((request) => this.#answer(this.#noticed(client.request(request as never)))),
    );
  }

  /** Asks the same thing several times concurrently, each in a request of its own. Never rejects. */
  async burst(method: string, times: number): Promise<readonly Answer[]> {
    if (times > this.left) return Array.from({ length: times }, () => OUT_OF_CALLS);
    this.calls += times;
    const client = cancellableClient([this.url], this.#callMs);
    return await Promise.all(
      Array.from({ length: times }, () =>
        this.#answer(this.#noticed(client.request({ method } as never))),
      ),
    );
  }

  /** Counts calls that were sent in another way, such as by a WebSocket. */
  count(calls: number): void {
    this.calls += calls;
  }

  async #request(request: JsonRpcRequest): Promise<unknown> {
    return await this.client.request(request as never);
  }

  async #once(request: JsonRpcRequest, send: () => Promise<unknown>): Promise<unknown> {
    const key = JSON.stringify([request.method, request.params]);
    if (this.#known.has(key)) return this.#known.get(key);
    const before = performance.now();
    const result = await this.#sendTwice(send);
    this.#durations.push(performance.now() - before);
    this.#known.set(key, result);
    return result;
  }

  /** Sends a call, and once more if it was refused for the rate of requests. */
  async #sendTwice(send: () => Promise<unknown>): Promise<unknown> {
    try {
      return await this.#send(send);
    } catch (error) {
      if (!isRefusedForRate(error) || this.rateLimited > MAX_RETRIED) throw error;
      return await this.#send(send);
    }
  }

  async #send(send: () => Promise<unknown>): Promise<unknown> {
    if (this.left > 0) await this.#pause();
    if (this.left <= 0) throw new OutOfCallsError();
    this.calls += 1;
    return await this.#noticed(send());
  }

  /** Asks more slowly after a refusal for the rate of requests, and faster again after answers. */
  async #noticed<T>(request: Promise<T>): Promise<T> {
    try {
      const result = await request;
      this.#pauseMs = Math.floor(this.#pauseMs / 2);
      return result;
    } catch (error) {
      if (isRefusedForRate(error)) {
        this.rateLimited += 1;
        this.#pauseMs = Math.min(MAX_PAUSE_MS, Math.max(this.#firstPauseMs, 2 * this.#pauseMs));
      }
      throw error;
    }
  }

  async #pause(): Promise<void> {
    if (this.#pauseMs > 0) await setTimeout(this.#pauseMs, undefined, { ref: false });
  }

  async #answer(request: Promise<unknown>): Promise<Answer> {
    try {
      return { kind: 'value', value: await request };
    } catch (error) {
      if (error instanceof Error && error.cause instanceof OutOfCallsError) return OUT_OF_CALLS;
      const isRateLimit = isRefusedForRate(error);
      const reason = this.#reasonOf(error);
      const isNo = !isRateLimit && (isAbsent(error) || isPruned(error));
      return isNo ? { kind: 'no', reason } : { kind: 'unknown', reason, isRateLimit };
    }
  }

  /** Why a request failed: in our words, and in those of the RPC without secrets. */
  #reasonOf(error: unknown): string {
    const words = rpcWords(error);
    const failure = failureOf(error);
    return words ? `${failure}: "${withoutSecrets(words, this.url)}"` : failure;
  }
}

class OutOfCallsError extends Error {
  override readonly name = 'OutOfCallsError';
}

const OUT_OF_CALLS: Answer = {
  kind: 'unknown',
  reason: 'was not asked, because of the limits of calls and time',
  isRateLimit: false,
};

/** True if the RPC refused because of the rate of requests, and not because of what was requested. */
function isRefusedForRate(error: unknown): boolean {
  if (httpStatusOf(error) === 503 || isRateLimited(error)) return true;
  return isLimited(error) && refusalOf(error) === 'unclear';
}
