import type { Method } from '../contract/define.ts';
import type { ChainMeta } from '../contract/envelope.ts';
import type { CallableName, InputOf, MethodOf, OutputOf } from '../contract/types.ts';
import type { SumTokens } from '../db/read/most-settled-token.ts';
import {
  type Covered,
  finalityOf,
  isMixed,
  type ReadHead,
  type StoppedCampaign,
  stoppedIn,
} from '../db/read/snapshot.ts';
import type { Caller } from './auth/guard.ts';
import type { Session } from './auth/session.ts';
import type { AppDeps, ServedDeployment } from './deps.ts';
import { NotFoundError } from './errors.ts';
import { isoTime } from './render/time.ts';

/** What a handler answers: the method's data, and as of which block where it read the ledger. */
export interface Answer<T> {
  readonly data: T;
  readonly chain?: ChainMeta | undefined;
  /** The token of sums that name none, and the tokens that they leave out (design §7). */
  readonly tokens?: SumTokens | null;
  /** A `Set-Cookie` that goes with the answer. */
  readonly setCookie?: string;
}

/**
 * Who asks: a `session` method has the session of somebody, one with `readsSession` may have one, and
 * any other public method cannot see whether there is one.
 */
export type CallerOf<M extends Method> = Omit<Caller, 'session'> &
  (M extends { access: 'session' }
    ? { readonly session: Session }
    : M extends { readsSession: true }
      ? { readonly session: Session | undefined }
      : unknown);

/** The code behind a method: decoded input in, data out. It throws the errors of `errors.ts`. */
export type Handler<N extends CallableName> = (
  input: InputOf<MethodOf<N>>,
  deps: AppDeps,
  caller: CallerOf<MethodOf<N>>,
) => Promise<Answer<OutputOf<MethodOf<N>>>>;

/** Items on a page where the request names no limit. */
export const PAGE_LIMIT = 20;

/** Stopped campaigns that one answer names. */
const MAX_STOPPED_NAMED = 20;

/**
 * The `meta.chain` of a read.
 * @param newestBlock block of the newest event that was read; without one, the settled block.
 * @param covered campaigns that the answer is about; without them any may be in it, so that it reports
 * every stopped one.
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

/** @throws {NotFoundError} where a route names another chain than the one served. */
export function requireChain({ deployment }: AppDeps, chainId: number): void {
  if (chainId === deployment.chainId) return;
  throw new NotFoundError(
    `Chain ${chainId} is not served here: this service serves chain ${deployment.chainId}.`,
  );
}
