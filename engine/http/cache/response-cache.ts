import { LRUCache } from 'lru-cache';
import type { ResponseMeta } from '../../contract/envelope.ts';
import { connectionLosses, type Pool } from '../../db/connection.ts';
import { currentSnapshot } from '../../db/read/current-snapshot.ts';
import type { AppDeps } from '../deps.ts';
import type { MethodResult } from '../handler-types.ts';
import { answerMeta } from '../render/answer-meta.ts';
import type { Answered } from '../replicas/replicas.ts';
import type { Seen } from '../replicas/written-cookie.ts';
import { SharedRead } from '../shared-read.ts';

/** Response as it is sent, except for the parts that belong to a single request. */
export interface CachedResponse {
  /** JSON text of its `data`. */
  readonly data: string;
  readonly meta: Omit<ResponseMeta, 'requestId'>;
}

/** Counts of responses by their origin; the names are labels of `tributary_cacheable_responses_total`. */
export interface CacheCounts {
  /** Served from the cache. */
  cached: number;
  /** Shared with a concurrent request that was computing the same response. */
  shared: number;
  /** Computed. */
  computed: number;
}

/** Size of the whole cache of a process, unless configured; one character counts as one byte. */
const MAX_MIB = 32;
/** Size of the largest response that is cached. */
const MAX_RESPONSE_MIB = 1;
const MIB = 2 ** 20;

/**
 * Milliseconds after which a cached response expires. The validator alone is enough while one database
 * names its snapshots and no connection is lost; but a pooler in between can hide that the database
 * behind it was restored from a backup.
 */
const MAX_AGE_MS = 10_000;

interface CacheEntry extends CachedResponse {
  /** State of the database when the response was computed: see `validatorOf`. */
  readonly validator: string;
}

interface Computation {
  /** Validator of the database from before the computation began; `undefined` if none was known. */
  readonly validator: Validator | undefined;
  readonly response: Promise<ComputedResponse>;
}

interface ComputedResponse extends CachedResponse {
  /** Position that the replica had replayed which computed it; `undefined` if the primary did. */
  readonly replayed: bigint | undefined;
}

/** State of the database as far as the cache compares it: see `validatorOf`. */
interface Validator {
  /** Equal names mean equal rows. */
  readonly name: string;
  /** With replicas: position in the write-ahead log that has every commit of this state. */
  readonly position?: bigint;
  /** With replicas: true if no transaction was under way. */
  readonly isQuiet?: boolean;
}

/** Computes a response, on the primary or on a replica. */
export type Compute = () => Promise<Answered<MethodResult<unknown>>>;

/**
 * Cache of responses in the memory of one API process. A response is valid as long as nothing in the
 * database changes: each request asks PostgreSQL for the current snapshot (one query for many requests),
 * and a response that was computed from the same snapshot is, to the last character, the response that
 * would be computed now. So a write is visible to the next read, whichever process did it
 * (docs/reference/api.md#cached-responses). The cache is cleared when a connection to the database is lost, and it
 * stores nothing on a standby.
 */
export class ResponseCache {
  readonly counts: CacheCounts = { cached: 0, shared: 0, computed: 0 };
  readonly #losses: () => number;
  readonly #validators: SharedRead<Validator | undefined>;
  #seenLosses: number;
  readonly #computing = new Map<string, Computation>();
  readonly #entries: LRUCache<string, CacheEntry>;

  constructor({
    pool,
    longReadPool = pool,
    cacheMiB = MAX_MIB,
    replicas,
  }: Pick<AppDeps, 'pool' | 'longReadPool' | 'cacheMiB' | 'replicas'>) {
    const losses = () => connectionLosses(pool) + connectionLosses(longReadPool);
    this.#losses = losses;
    this.#seenLosses = losses();
    const readState =
      replicas === undefined
        ? async () => await snapshotState(pool)
        : async () => await replicas.primaryState();
    this.#validators = new SharedRead(() => validatorOf(readState, losses));
    this.#entries = new LRUCache({
      maxSize: cacheMiB * MIB,
      maxEntrySize: Math.min(cacheMiB, MAX_RESPONSE_MIB) * MIB,
      sizeCalculation: ({ data }, key) => data.length + key.length,
      ttl: MAX_AGE_MS,
    });
  }

  /**
   * Response for a key, from the cache or computed.
   * @param key everything except the database that the response depends on.
   * @param seen what the caller has written: a response that a replica is computing must contain it.
   * @throws whatever `compute` throws; errors are not cached.
   */
  async response(key: string, compute: Compute, seen: Seen = 0n): Promise<CachedResponse> {
    // No cached or concurrent response for this key: compute immediately.
    if (!this.#entries.has(key) && !this.#computing.has(key)) {
      return await this.#compute(key, this.#validators.last, compute);
    }
    const now = await this.#validators.next();
    this.#clearAfterLoss();
    // Nothing can be validated on a standby, and while connections are lost.
    if (now === undefined) return await this.#compute(key, now, compute);
    const entry = this.#entries.get(key);
    if (entry?.validator === now.name) {
      this.counts.cached += 1;
      return entry;
    }
    const computing = this.#computing.get(key);
    if (computing?.validator?.name === now.name) {
      const shared = await computing.response;
      const { replayed } = shared;
      if (replayed === undefined || (seen !== 'everything' && replayed >= seen)) {
        this.counts.shared += 1;
        return shared;
      }
    }
    return await this.#compute(key, now, compute);
  }

  /** Frees entries that no validator can match any more. */
  #clearAfterLoss(): void {
    const losses = this.#losses();
    if (losses === this.#seenLosses) return;
    this.#seenLosses = losses;
    this.#entries.clear();
  }

  async #compute(
    key: string,
    validator: Validator | undefined,
    compute: Compute,
  ): Promise<CachedResponse> {
    this.counts.computed += 1;
    const computation: Computation = { validator, response: compute().then(toComputed) };
    this.#computing.set(key, computation);
    void this.#store(key, computation);
    return await computation.response;
  }

  /** Stores a response if nothing has changed since before its computation. No request waits for this. */
  async #store(key: string, { validator, response }: Computation): Promise<void> {
    try {
      const { data, meta, replayed } = await response;
      const after = await this.#validators.next();
      this.#clearAfterLoss();
      if (after === undefined || after.name !== validator?.name) return;
      if (replayed !== undefined && !sawAll(replayed, validator, after)) return;
      this.#entries.set(key, { data, meta, validator: after.name });
    } catch {
      // The request itself reports its error; and without a snapshot nothing is stored.
    } finally {
      if (this.#computing.get(key)?.response === response) this.#computing.delete(key);
    }
  }
}

/**
 * The current state of the database, for this process: equal names mean equal rows. The number of
 * lost connections is part of the name, because snapshots are comparable only between two losses.
 * @returns `undefined` on a standby, and if a connection was lost during the query.
 */
async function validatorOf(
  readState: () => Promise<State | undefined>,
  losses: () => number,
): Promise<Validator | undefined> {
  const before = losses();
  const state = await readState();
  if (state === undefined || losses() !== before) return undefined;
  const { snapshot, ...rest } = state;
  return { ...rest, name: `${before} ${snapshot}` };
}

type State = Omit<Validator, 'name'> & { readonly snapshot: string };

async function snapshotState(pool: Pool): Promise<State | undefined> {
  const snapshot = await currentSnapshot(pool);
  return snapshot === undefined ? undefined : { snapshot };
}

/**
 * True if a replica saw exactly the rows of a state that was the primary's before and after its read. It had replayed
 * every commit of that state. And it can have replayed no other: if no transaction is under way, every
 * commit in the write-ahead log is in the snapshot.
 */
function sawAll(replayed: bigint, before: Validator, after: Validator): boolean {
  return before.position !== undefined && replayed >= before.position && after.isQuiet === true;
}

function toComputed(result: Answered<MethodResult<unknown>>): ComputedResponse {
  const { data, replayed } = result;
  return { data: JSON.stringify(data), meta: answerMeta(result), replayed };
}
