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
import { networkOf, wideNetworkOf } from './network-address.ts';
import type { SecretKeys } from './secret-keys.ts';

/**
 * What is counted: `address`, every request of an IP address; `session`, every request of a session;
 * `write`, every write of an account, or of an address where nobody is signed in; `signIn`, nonces
 * and sign-ins of an address; `page`, requests of an address for pages and files of the site and the
 * reference; `probe`, its requests for `/health`, `/ready` and `/metrics`.
 */
export type LimitKind = 'address' | 'session' | 'write' | 'signIn' | 'page' | 'probe';

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
  // A page is several files.
  page: 2,
  probe: 0.5,
};

/**
 * How many times the limit of an IPv6 network of 64 bits all those of one network of 48 bits may take:
 * a customer of a provider often has one, which is 65,536 of the others.
 */
const WIDE_FACTOR = 10;

/**
 * Limits by fixed windows of a minute. On Redis all of them hold for all processes together. Without
 * it, sign-ins and writes are counted in PostgreSQL, and mere requests in this process's memory: a
 * read costs no write. A store that is away is stood in for by memory.
 */
export function makeRateLimits(options: RateLimitOptions): RateLimits {
  const limitersOf = (factor: number) => ({
    address: limiterOf('address', factor, options),
    session: limiterOf('session', factor, options),
    write: limiterOf('write', factor, options),
    signIn: limiterOf('signIn', factor, options),
    page: limiterOf('page', factor, options),
    probe: limiterOf('probe', factor, options),
  });
  const [limiters, wideLimiters] = [limitersOf(1), limitersOf(WIDE_FACTOR)];
  return {
    async take(kind, key) {
      try {
        await limiters[kind].consume(bucketOf(options.keys, networkOf(key)));
        const wide = wideNetworkOf(key);
        if (wide !== undefined) await wideLimiters[kind].consume(bucketOf(options.keys, wide));
      } catch (error) {
        if (!(error instanceof RateLimiterRes)) throw error;
        throw new RateLimitedError(Math.max(1, Math.ceil(error.msBeforeNext / 1_000)));
      }
    },
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
  // What costs next to nothing is not worth a question to a store, and must not wait for one.
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
 * What is counted for a caller. The stores hold a keyed hash of it and never the address itself.
 */
function bucketOf(keys: SecretKeys, network: string): string {
  return createHmac('sha256', keys.current('rate limit')).update(network).digest('base64url');
}
