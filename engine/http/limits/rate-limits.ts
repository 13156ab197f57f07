import { createHmac } from 'node:crypto';
import type { Context } from 'hono';
import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { rateLimitStore } from '../../db/commerce/rate-limit-store.ts';
import type { Pool } from '../../db/connection.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import type { AppEnv } from '../context.ts';
import { HttpError } from '../errors.ts';
import { networkOf, wideNetworkOf } from '../network-address.ts';
import { appendHeader } from '../response-headers.ts';

/**
 * Kind of request that is counted: `address`, every request of an IP address; `session`, every request of a
 * session; `write`, every write of an account, or of an address without a session; `signIn`, nonces and
 * sign-ins of an address; `key`, every request of an API key; `page`, requests of an address for pages and files of the site and the
 * reference; `probe`, its requests for `/health`, `/ready` and `/metrics`.
 */
export type LimitKind = 'address' | 'session' | 'write' | 'signIn' | 'key' | 'page' | 'probe';

/** Rate limits of a deployment. */
export interface RateLimits {
  /**
   * Counts one request.
   * @returns what is left for the caller; `undefined` where nothing is counted.
   * @throws {HttpError} RATE_LIMITED if there were too many within the minute.
   */
  take(kind: LimitKind, key: string): Promise<LimitState | undefined>;
}

/** Requests that a limit leaves to a caller. */
export interface LimitState {
  readonly kind: LimitKind;
  /** Requests per minute. */
  readonly quota: number;
  readonly remaining: number;
  /** Seconds until the counter starts again. */
  readonly resetSeconds: number;
}

/**
 * Counts one request, and adds the headers that say what is left.
 * @throws {HttpError} RATE_LIMITED if there were too many within the minute.
 */
export async function countRequest(
  c: Context<AppEnv>,
  limits: RateLimits,
  kind: LimitKind,
  key: string,
): Promise<void> {
  const state = await limits.take(kind, key);
  if (state === undefined) return;
  for (const [name, value] of Object.entries(rateLimitHeaders(state))) {
    appendHeader(c, name, value);
  }
}

/** The fields `RateLimit` and `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-10). */
function rateLimitHeaders({ kind, quota, remaining, resetSeconds }: LimitState) {
  return {
    'ratelimit-policy': `"${kind}";q=${quota};w=${WINDOW_SECONDS}`,
    ratelimit: `"${kind}";r=${remaining};t=${resetSeconds}`,
  };
}

export interface RateLimitOptions {
  readonly pool: Pool;
  /** If given, all counters are in Redis, shared by all processes. */
  readonly redis: Redis | undefined;
  /** Distinguishes deployments that share a Redis. */
  readonly prefix: string;
  /** Keys the hashes of callers' addresses. */
  readonly keys: SecretKeys;
  /** Requests per minute of one address; the other limits are shares of it. */
  readonly perMinute: number;
}

const WINDOW_SECONDS = 60;

/** The share of `perMinute` that each kind may take. */
const shares: Readonly<Record<LimitKind, number>> = {
  address: 1,
  session: 0.5,
  write: 0.1,
  signIn: 0.05,
  key: 1,
  // A page is several files.
  page: 2,
  probe: 0.5,
};

/**
 * Limit of an IPv6 network of 48 bits, as a multiple of that of a network of 64 bits: one customer often has
 * a network of 48 bits, which contains 65,536 of the others.
 */
const WIDE_FACTOR = 10;

/**
 * Creates rate limits over fixed windows of a minute. With Redis, all limits are shared by all processes.
 * Without it, sign-ins and writes are counted in PostgreSQL, and other requests in the memory of this
 * process, so that a read needs no write. While a store is away, memory replaces it.
 */
export function makeRateLimits(options: RateLimitOptions): RateLimits {
  const limitersOf = (factor: number) => ({
    address: limiterOf('address', factor, options),
    session: limiterOf('session', factor, options),
    write: limiterOf('write', factor, options),
    signIn: limiterOf('signIn', factor, options),
    key: limiterOf('key', factor, options),
    page: limiterOf('page', factor, options),
    probe: limiterOf('probe', factor, options),
  });
  const [limiters, wideLimiters] = [limitersOf(1), limitersOf(WIDE_FACTOR)];
  return {
    async take(kind, key) {
      try {
        const own = await count(limiters[kind], networkOf(key), options.keys);
        const wide = wideNetworkOf(key);
        if (wide !== undefined) await count(wideLimiters[kind], wide, options.keys);
        return stateOf(kind, limiters[kind].points, own);
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        const state = stateOf(kind, limiters[kind].points, error);
        const { resetSeconds } = state;
        throw new HttpError(
          'RATE_LIMITED',
          `Too many requests: try again in ${resetSeconds} s.`,
          [],
          { 'retry-after': String(resetSeconds), ...rateLimitHeaders(state) },
        );
      }
    },
  };
}

function stateOf(kind: LimitKind, quota: number, found: RateLimiterRes): LimitState {
  return {
    kind,
    quota,
    remaining: Math.max(0, found.remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(found.msBeforeNext / 1_000)),
  };
}

function limiterOf(
  kind: LimitKind,
  factor: number,
  options: RateLimitOptions,
): RateLimiterAbstract {
  const { redis, pool, prefix, perMinute } = options;
  const points = Math.max(1, Math.ceil(perMinute * shares[kind])) * factor;
  const common = { keyPrefix: kind, points, duration: WINDOW_SECONDS };
  const memory = new RateLimiterMemory(common);
  // These requests cost almost nothing, so they must not wait for a store.
  if (kind === 'page' || kind === 'probe') return memory;
  if (redis !== undefined) {
    return new RateLimiterRedis({
      ...common,
      keyPrefix: `${prefix}:limit:${kind}`,
      storeClient: redis,
      rejectIfRedisNotReady: true,
      inMemoryBlockOnConsumed: points + 1,
      insuranceLimiter: memory,
    });
  }
  if (kind === 'address' || kind === 'session' || kind === 'key') return memory;
  return new RateLimiterPostgres({
    ...common,
    storeClient: rateLimitStore(pool),
    storeType: 'pool',
    schemaName: 'commerce',
    tableName: 'rate_limit',
    tableCreated: true,
    inMemoryBlockOnConsumed: points + 1,
    insuranceLimiter: memory,
  });
}

/** Counts a request. A limiter in memory needs no hash, which takes longer than to count. */
async function count(
  limiter: RateLimiterAbstract,
  network: string,
  keys: SecretKeys,
): Promise<RateLimiterRes> {
  const isInMemory = limiter instanceof RateLimiterMemory;
  return await limiter.consume(isInMemory ? network : bucketOf(keys, network));
}

/**
 * Key under which a caller is counted: the stores have a keyed hash, and never the address itself.
 */
function bucketOf(keys: SecretKeys, network: string): string {
  return createHmac('sha256', keys.current('rate limit')).update(network).digest('base64url');
}
