import { finished, type Readable } from 'node:stream';
import { errors, Pool } from 'undici';
import type { z } from 'zod';
import { toRequest } from '../client/request.ts';
import type { Method } from '../contract/define.ts';
import { ConnectionLimit } from '../http/limits/connection-limit.ts';
import { type Answer, NoAnswer, readAnswer } from './answers.ts';
import { type Identity, nameOf, type Target } from './identity.ts';

/** Limits on what one deployment may take of the gateway. Tests use smaller ones. */
export interface DeploymentLimits {
  /** Milliseconds that an answer to a call across deployments may take, body included. */
  readonly deadlineMs: number;
  /** Bytes of the body of such an answer. */
  readonly maxAnswerBytes: number;
  /** Concurrent calls. */
  readonly maxCalls: number;
  /** Concurrent requests that are passed on. */
  readonly maxPassed: number;
  /** Those of one address, or one IPv6 network of 64 bits, including those whose body has not arrived yet. */
  readonly maxPassedPerAddress: number;
  /** Concurrent streams that are passed on. */
  readonly maxStreams: number;
  /** Milliseconds until the headers of a passed read arrive; a write has three times as long. */
  readonly headersMs: number;
  /** Milliseconds between two parts of a passed body. */
  readonly idleMs: number;
  /** Consecutive failures of one kind after which the deployment counts as away. */
  readonly maxFailures: number;
}

const DEPLOYMENT_LIMITS: DeploymentLimits = {
  deadlineMs: 3_000,
  maxAnswerBytes: 4 * 1024 * 1024,
  maxCalls: 32,
  maxPassed: 128,
  maxPassedPerAddress: 16,
  maxStreams: 1_000,
  // An API answers 503 after 20 s itself.
  headersMs: 25_000,
  idleMs: 60_000,
  maxFailures: 2,
};

/** Kind of a passed request; each has its own connections, so that streams take none from reads. */
export type PassedKind = 'request' | 'stream';

/** Parts of a request that is passed on. */
export interface PassedRequest {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable | string | null;
  readonly signal: AbortSignal;
}

/**
 * State of a deployment: `unknown` before its first answer; `up`; `away` if connections or checks of its identity
 * fail; `refused` if another chain or contract answers at its URL, or another deployment is the same.
 */
export type DeploymentState = 'unknown' | 'up' | 'away' | 'refused';

/** Connections to one deployment, and whether it answers. Nothing of it is shared with another one. */
export class Deployment {
  readonly limits: DeploymentLimits;
  #identity: Identity | undefined;
  #genesisHash: string | undefined;
  #state: DeploymentState = 'unknown';
  /**
   * Consecutive failures. A connection that works says nothing about checks: a load balancer answers 502 for a dead
   * deployment, and an API answers 503 without its database.
   */
  readonly #failures = { check: 0, connection: 0 };
  readonly #calls: Pool;
  readonly #passed: Readonly<Record<PassedKind, Pool>>;
  readonly #counts = { call: 0, request: 0, stream: 0 };
  readonly #clients: ConnectionLimit;
  readonly #streams = new Set<Readable>();

  constructor(
    readonly target: Target,
    /** Position in the configuration, from 1. */
    readonly number: number,
    limits: Partial<DeploymentLimits> = {},
  ) {
    this.limits = { ...DEPLOYMENT_LIMITS, ...limits };
    this.#identity = target.identity;
    const { deadlineMs, maxAnswerBytes, maxCalls, maxPassed, maxStreams, idleMs } = this.limits;
    const perAddress = this.limits.maxPassedPerAddress;
    // `pass` limits the total, because a request whose body has not arrived yet takes nothing of the deployment.
    this.#clients = new ConnectionLimit(
      { perAddress, readers: Number.POSITIVE_INFINITY },
      'requests to this deployment',
    );
    const pool = (connections: number) =>
      new Pool(target.url, { connections, bodyTimeout: idleMs, connectTimeout: deadlineMs });
    this.#calls = new Pool(target.url, {
      // One more for the check, so that it waits for no call.
      connections: maxCalls + 1,
      maxResponseSize: maxAnswerBytes,
      connectTimeout: deadlineMs,
    });
    this.#passed = { request: pool(maxPassed), stream: pool(maxStreams) };
  }

  /**
   * True if the operator wrote its identity down. Only then may it see credentials: what it says of itself proves nothing,
   * and another one could answer with its chain and contract while it is down.
   */
  get isDeclared(): boolean {
    return this.target.identity !== undefined;
  }

  /** Chain and contract; `undefined` if it was not declared and has not answered yet. */
  get identity(): Identity | undefined {
    return this.#identity;
  }

  /** Hash of the chain's first block; `undefined` before the first answer. */
  get genesisHash(): string | undefined {
    return this.#genesisHash;
  }

  get state(): DeploymentState {
    return this.#state;
  }

  get name(): string {
    return this.#identity === undefined ? `deployment ${this.number}` : nameOf(this.#identity);
  }

  /** Remembers the identity that it answered, for the life of the process, and counts it as up. */
  identify(identity: Identity, genesisHash: string): void {
    this.#identity ??= identity;
    this.#genesisHash ??= genesisHash;
    this.#failures.check = 0;
    this.#failures.connection = 0;
    this.#state = 'up';
  }

  /** Serves nothing of it until it answers as the expected deployment again. */
  refuse(): void {
    this.#state = 'refused';
  }

  /** True if the newest check or the newest connection failed. */
  get isFailing(): boolean {
    return this.#failures.check > 0 || this.#failures.connection > 0;
  }

  /** Counts a check without a valid identity. Only `identify` ends the state that this leads to. */
  checkFailed(): void {
    this.#failures.check += 1;
    this.#updateState();
  }

  /**
   * Counts a connection that could not be opened. One that breaks does not count, and a slow answer does not either: both
   * may be due to the request, and then its client could take the deployment away from all others.
   */
  #connectionFailed(): void {
    this.#failures.connection += 1;
    this.#updateState();
  }

  /** Counts an answer of any status. */
  #connected(): void {
    this.#failures.connection = 0;
    this.#updateState();
  }

  #updateState(): void {
    if (this.#state === 'refused') return;
    const { check, connection } = this.#failures;
    if (Math.max(check, connection) >= this.limits.maxFailures) this.#state = 'away';
    else if (this.#state === 'away' && this.#genesisHash !== undefined) this.#state = 'up';
  }

  /**
   * Throws if requests to it would be for nothing.
   * @throws {NoAnswer} AWAY or WRONG_DEPLOYMENT.
   */
  requireUp(): Identity {
    const identity = this.#identity;
    if (this.#state === 'refused') {
      throw new NoAnswer('WRONG_DEPLOYMENT', 'Another deployment answers at its URL.');
    }
    if (identity === undefined || this.#genesisHash === undefined || this.#state !== 'up') {
      throw new NoAnswer('AWAY', 'The deployment does not answer.');
    }
    return identity;
  }

  /**
   * Calls a method, and checks the answer against its schema and against this deployment's identity.
   * @param headers of the request, in addition to those of the method.
   * @throws {NoAnswer} if there is no valid answer in time.
   */
  async call<S extends z.ZodType>(
    method: Method & { readonly output: S },
    input: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<z.infer<S>>> {
    const identity = this.requireUp();
    const { maxCalls } = this.limits;
    const response = await this.#limited('call', maxCalls, async () =>
      this.#ask(method, input, headers),
    );
    return readAnswer(response, method.output, identity);
  }

  /**
   * Status and text of a method's answer, whatever state this deployment is in. For checking its identity: the caller
   * decides if the check failed.
   * @throws {NoAnswer} if there is no answer in time.
   */
  async probe(method: Method): Promise<{ readonly status: number; readonly body: string }> {
    return await this.#ask(method, {}, {});
  }

  async #ask(
    method: Method,
    input: Readonly<Record<string, unknown>>,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: string }> {
    const { path, method: verb, headers: own, body = null } = toRequest(method, input);
    const { deadlineMs } = this.limits;
    try {
      const response = await this.#calls.request({
        path,
        method: verb === 'GET' ? 'GET' : 'POST',
        headers: { ...own, ...headers },
        body: typeof body === 'string' ? body : null,
        signal: AbortSignal.timeout(deadlineMs),
      });
      const text = await response.body.text();
      this.#connected();
      return { status: response.statusCode, body: text };
    } catch (error) {
      if (error instanceof errors.ResponseExceededMaxSizeError) {
        throw new NoAnswer(
          'BAD_RESPONSE',
          'The deployment answered more than a response may have.',
        );
      }
      if (isRefused(error)) this.#connectionFailed();
      throw isTimeout(error)
        ? new NoAnswer('TIMEOUT', `The deployment did not answer within ${deadlineMs} ms.`)
        : new NoAnswer('AWAY', 'The deployment does not answer.');
    }
  }

  /**
   * Counts a request of a client, whose body may not have arrived yet, until the function that it returns is called.
   * @throws {HttpError} RATE_LIMITED if too many of its address are running.
   */
  admit(address: string): () => void {
    return this.#clients.take(address);
  }

  /**
   * Passes a request on. The caller must read or cancel the body.
   * @throws {NoAnswer} AWAY or WRONG_DEPLOYMENT if nothing was sent, BUSY if too many requests run.
   * @throws {Error} of undici if the connection failed.
   */
  async pass(kind: PassedKind, request: PassedRequest) {
    this.requireUp();
    const { maxPassed, maxStreams, headersMs } = this.limits;
    const max = kind === 'stream' ? maxStreams : maxPassed;
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    return await this.#held(kind, max, async () => {
      try {
        const response = await this.#passed[kind].request({
          ...request,
          method: request.method as 'GET',
          headersTimeout: isRead ? headersMs : headersMs * 3,
        });
        this.#connected();
        return response;
      } catch (error) {
        if (isRefused(error)) this.#connectionFailed();
        throw error;
      }
    });
  }

  /** Ends the streams that are passed on. */
  endStreams(): void {
    for (const body of this.#streams) body.destroy();
  }

  /** Closes all connections, those in use included. */
  async close(): Promise<void> {
    const pools = [this.#calls, ...Object.values(this.#passed)];
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  async #limited<T>(kind: 'call', max: number, work: () => Promise<T>): Promise<T> {
    this.#take(kind, max);
    try {
      return await work();
    } finally {
      this.#counts[kind] -= 1;
    }
  }

  /** Like `#limited`, until the body of the response has ended. */
  async #held<T extends { readonly body: Readable }>(
    kind: PassedKind,
    max: number,
    work: () => Promise<T>,
  ): Promise<T> {
    this.#take(kind, max);
    try {
      const response = await work();
      const { body } = response;
      if (kind === 'stream') this.#streams.add(body);
      // The reader of the body sees its errors, too; an unread body has no reader.
      body.on('error', () => {});
      finished(body, () => {
        this.#counts[kind] -= 1;
        this.#streams.delete(body);
      });
      return response;
    } catch (error) {
      this.#counts[kind] -= 1;
      throw error;
    }
  }

  #take(kind: 'call' | PassedKind, max: number): void {
    if (this.#counts[kind] >= max) {
      throw new NoAnswer('BUSY', 'Too many requests to this deployment are running: try again.');
    }
    this.#counts[kind] += 1;
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && /Timeout/.test(error.name);
}

/** Codes of errors of a connection that was refused. */
export const REFUSED: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
]);

function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && REFUSED.has(error.code);
}
