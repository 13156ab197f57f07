import type { Method } from '../contract/define.ts';
import type { ChainMeta } from '../contract/envelope.ts';
import type { CallableName, InputOf, MethodOf, OutputOf } from '../contract/types.ts';
import {
  type Covered,
  finalityOf,
  isMixed,
  type ReadHead,
  type StoppedCampaign,
  stoppedIn,
} from '../db/read/snapshot.ts';
import type { SumTokens } from '../db/read/tokens.ts';
import type { Caller } from './auth/guard.ts';
import type { ActiveSession } from './auth/session.ts';
import type { CacheableName } from './cache/cacheable-methods.ts';
import type { AppDeps, ServedDeployment } from './deps.ts';
import { notFound } from './errors.ts';
import { isoTime } from './render/time.ts';

/** Result of a handler: the method's data, and the block that the ledger was read at, if it was. */
export interface MethodResult<T> {
  readonly data: T;
  readonly chain?: ChainMeta | undefined;
  /** Token of totals that name none, and the tokens that they leave out (docs/api.md#answers). */
  readonly tokens?: SumTokens | null;
  /** `Set-Cookie` header of the response. */
  readonly setCookie?: string;
}

/**
 * Dependencies of a method whose responses are cached. A cached response must not depend on anything that
 * changes without a write to the database, such as the clock, the chain or the queue.
 */
export type CacheableDeps = Pick<
  AppDeps,
  'pool' | 'rankingPool' | 'deployment' | 'logger' | 'operators' | 'publicUrl' | 'keys'
>;

/** A request for a past block is never cached: it may ask the chain for the time of that block. */
type DepsOf<N extends CallableName> = N extends CacheableName
  ? 'atBlock' extends keyof InputOf<MethodOf<N>>
    ? CacheableDeps & Pick<AppDeps, 'client'>
    : CacheableDeps
  : AppDeps;

type WithSession<M extends Method, S> = M extends { access: 'session' }
  ? { readonly session: S }
  : M extends { readsSession: true }
    ? { readonly session: S | undefined }
    : unknown;

/**
 * Caller as a handler sees it. `session` methods always have a session, methods with `readsSession` may
 * have one, and other public methods cannot see whether there is one. A cached response may depend on
 * the account only, and not on where the caller is.
 */
export type CallerOf<N extends CallableName> = N extends CacheableName
  ? WithSession<MethodOf<N>, Pick<ActiveSession, 'address'>>
  : Omit<Caller, 'session'> & WithSession<MethodOf<N>, ActiveSession>;

/** Code of a method: decoded input in, data out. It throws `HttpError`. */
export type Handler<N extends CallableName> = (
  input: InputOf<MethodOf<N>>,
  deps: DepsOf<N>,
  caller: CallerOf<N>,
) => Promise<MethodResult<OutputOf<MethodOf<N>>>>;

/** Items on a page if the request names no limit. */
export const PAGE_LIMIT = 20;

/** Stopped campaigns that one response lists. */
const MAX_STOPPED_NAMED = 20;

/**
 * `meta.chain` of a read.
 * @param newestBlock block of the newest event that was read; by default the settled block.
 * @param covered campaigns that the response is about. Without them, it reports every stopped campaign,
 * because any of them may be in it.
 */
export function chainMeta(
  deployment: ServedDeployment,
  head: ReadHead,
  newestBlock = head.number,
  covered?: Covered,
): ChainMeta {
  const stopped = stoppedIn(head, covered);
  return {
    chainId: deployment.chainId,
    blockNumber: String(head.number),
    blockTimestamp: isoTime(head.timestamp),
    finality: finalityOf(head, newestBlock, covered),
    ...(isMixed(head, newestBlock) && { reorg: true as const }),
    ...(stopped.length > 0 && {
      stopped: {
        count: stopped.length,
        campaigns: stopped.slice(0, MAX_STOPPED_NAMED).map(stoppedNotice),
      },
    }),
  };
}

function stoppedNotice({ campaignId, since, reason }: StoppedCampaign) {
  return { campaignId, since: since.toISOString(), reason };
}

/** @throws {HttpError} NOT_FOUND if a route names another chain than the one served. */
export function requireChain({ deployment }: Pick<AppDeps, 'deployment'>, chainId: number): void {
  if (chainId === deployment.chainId) return;
  throw notFound(
    `Chain ${chainId} is not served here: this service serves chain ${deployment.chainId}.`,
  );
}
