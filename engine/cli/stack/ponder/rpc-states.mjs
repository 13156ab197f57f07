import { refusalKind, waitMs } from '../../../core/rpc-refusal.ts';

/*
 * What each RPC did for the indexer when it was last asked. The parent process stores it (`../indexer.ts`), for
 * `system.status` and alarms; the rules are those of `engine/chain/rpc-watch.ts`.
 */

/** Milliseconds without a failure after which an RPC that answers is well again. */
const WELL_AFTER_MS = 30_000;

/** HTTP statuses of an RPC that refuses every caller. */
const REFUSED = new Set([401, 402, 403, 404, 405]);

/** Longest response that is read for a refusal. */
const MAX_ERROR_BYTES = 2_000;

/**
 * Makes a function that records the state of an RPC after a request.
 * @param {(change: { place: number, state: string, until: number | null }) => void} onChange
 */
export function rpcStates(onChange, clock = Date.now) {
  /** @type {Map<number, { state: string, failedAt: number }>} */
  const known = new Map();
  return (
    /** @type {number} */ place,
    /** @type {string} */ state,
    /** @type {number | null} */ until = null,
  ) => {
    const before = known.get(place) ?? { state: 'unused', failedAt: Number.NEGATIVE_INFINITY };
    const now = clock();
    const failedAt = state === 'ok' ? before.failedAt : now;
    const stays = state === 'ok' && now - failedAt < WELL_AFTER_MS;
    known.set(place, { state: stays ? before.state : state, failedAt });
    if (!stays && before.state !== state) onChange({ place, state, until });
  };
}

/**
 * The state that a response shows, and until when the RPC wants to be left alone.
 * @param {Response} response
 * @returns {Promise<[state: string, until: number | null]>}
 */
export async function stateAfter(response, now = Date.now()) {
  const { status, headers } = response;
  if (status === 429)
    return ['rate-limited', untilOf({ retryAfter: headers.get('retry-after') }, now)];
  if (REFUSED.has(status)) return ['refused', null];
  if (status >= 500 || status === 408) return ['unreachable', null];
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (!(length < MAX_ERROR_BYTES)) return ['ok', null];
  const text = await response.clone().text();
  const [, code] = /"error".*"code"\s*:\s*(-?\d+)/s.exec(text) ?? [];
  const isLimit = code !== undefined && refusalKind({ code: Number(code), words: text }) === 'rate';
  return isLimit ? ['rate-limited', untilOf({ words: text }, now)] : ['ok', null];
}

/** Milliseconds since 1970 until which an RPC wants to be left alone. @param {import('../../../core/rpc-refusal.ts').WaitWords} said */
function untilOf(said, now = Date.now()) {
  const ms = waitMs(said, now);
  return ms === 0 ? null : now + ms;
}
