import type { Method } from '../contract/define.ts';
import type { ChainMeta } from '../contract/envelope.ts';
import type { Role } from '../contract/roles.ts';
import type { InputOf, MethodName, MethodOf, OutputOf } from '../contract/types.ts';
import type { Address } from '../core/events.ts';
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
import type { AppDeps, ServedDeployment } from './deps.ts';
import { notFound } from './errors.ts';
import { isoTime } from './render/time.ts';

/** Result of a handler: the method's data, and the block that the ledger was read at, if it was. */
export interface MethodResult<T> {
  readonly data: T;
  readonly chain?: ChainMeta | undefined;
  /** Token of totals that name none, and the tokens that they leave out (docs/reference/api.md#answers). */
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

/** A method whose responses are cached. */
type Cached = { serving: { cached: true } };

/** A request for a past block is never cached: it may ask the chain for the time of that block. */
type DepsOf<N extends MethodName> =
  MethodOf<N> extends Cached
    ? 'atBlock' extends keyof InputOf<MethodOf<N>>
      ? CacheableDeps & Pick<AppDeps, 'client'>
      : CacheableDeps
    : AppDeps;

/** Account that calls a method, and the merchant for which it acts, as far as the method needs them. */
type Acting<M extends Method> = M extends { access: 'session'; caller: 'account' | 'operator' }
  ? { readonly account: Address } & (M extends { memberRole: Role }
      ? { readonly merchant: Address | undefined }
      : unknown)
  : M extends { access: 'session' }
    ? { readonly account: Address; readonly merchant: Address; readonly role: Role }
    : M extends { readsSession: true }
      ? { readonly account: Address | undefined }
      : unknown;

/** Where a request comes from. `session` is missing if it came with an API key. */
type Coming<M extends Method> = Pick<Caller, 'ip' | 'origin' | 'userAgent'> &
  (M extends { sessionOnly: true }
    ? { readonly session: ActiveSession }
    : { readonly session: ActiveSession | undefined });

/**
 * Caller as a handler sees it. Methods of the merchant's side get the merchant for which the caller acts,
 * which may be another account than the caller's own (docs/use/teams.md). A cached response may depend on
 * whom the caller acts for, and not on where the caller is.
 */
export type CallerOf<N extends MethodName> =
  MethodOf<N> extends Cached ? Acting<MethodOf<N>> : Acting<MethodOf<N>> & Coming<MethodOf<N>>;

/** Code of a method: decoded input in, data out. It throws `HttpError`. */
export type Handler<N extends MethodName> = (
  input: InputOf<MethodOf<N>>,
  deps: DepsOf<N>,
  caller: CallerOf<N>,
) => Promise<MethodResult<OutputOf<MethodOf<N>>>>;

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
