import { createHmac } from 'node:crypto';
import type { Redis } from 'ioredis';
import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterRes,
} from 'rate-limiter-flexible';
import { rateLimitStore } from '../db/commerce/rate-limit-store.ts';
import type { Pool } from '../db/connection.ts';
import { RateLimitedError } from './errors.ts';
import { networkOf } from './network-address.ts';
import type { SecretKeys } from './secret-keys.ts';

/**
 * What is counted: `address`, every request of an IP address; `session`, every request of a session;
 * `write`, every write of an account, or of an address where nobody is signed in; `signIn`, nonces
 * and sign-ins of an address.
 */
export type LimitKind = 'address' | 'session' | 'write' | 'signIn';

/** The limits of a deployment. */
export interface RateLimits {
  /**
   * Counts one request.
   * @throws {RateLimitedError} where there were too many within the minute.
   */
  take(kind: LimitKind, key: string): Promise<void>;
}

export interface RateLimitOptions {
  readonly pool: Pool;
  /** Where given, all counters are in Redis, for all processes together. */
  readonly redis: Redis | undefined;
  /** Tells deployments apart that share a Redis. */
  readonly prefix: string;
  /** Keys the hashes of callers' addresses. */
  readonly keys: SecretKeys;
  /** Requests a minute of one address; the other limits are parts of it. */
  readonly perMinute: number;
}

const WINDOW_SECONDS = 60;

/** The share of `perMinute` that each kind may take. */
const shares: Readonly<Record<LimitKind, number>> = {
  address: 1,
  session: 0.5,
  write: 0.1,
  signIn: 0.05,
};

/**
 * Limits by fixed windows of a minute. On Redis all of them hold for all processes together. Without
 * it, sign-ins and writes are counted in PostgreSQL, and mere requests in this process's memory: a
 * read costs no write. A store that is away is stood in for by memory.
 */
export function makeRateLimits(options: RateLimitOptions): RateLimits {
  const limiters = {
    address: limiterOf('address', options),
    session: limiterOf('session', options),
    write: limiterOf('write', options),
    signIn: limiterOf('signIn', options),
  };
  return {
    async take(kind, key) {
      try {
        await limiters[kind].consume(bucketOf(options.keys, key));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new RateLimitedError(Math.max(1, Math.ceil(error.msBeforeNext / 1_000)));
      }
    },
  };
}

function limiterOf(kind: LimitKind, options: RateLimitOptions): RateLimiterAbstract {
  const { redis, pool, prefix, perMinute } = options;
  const points = Math.max(1, Math.ceil(perMinute * shares[kind]));
  const common = { keyPrefix: kind, points, duration: WINDOW_SECONDS };
  const memory = new RateLimiterMemory(common);
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
  if (kind === 'address' || kind === 'session') return memory;
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

/**
 * What is counted for a caller. The stores hold a keyed hash of it and never the address itself; an
 * IPv6 network of 64 bits is one caller, because whoever has one address of it has them all.
 */
function bucketOf(keys: SecretKeys, key: string): string {
  return createHmac('sha256', keys.current('rate limit'))
    .update(networkOf(key))
    .digest('base64url');
}
