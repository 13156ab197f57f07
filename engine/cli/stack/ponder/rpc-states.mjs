/*
 * What each RPC did for the indexer when it was last asked. The parent process stores it (`../indexer.ts`), for
 * `system.status` and alarms; the rules are those of `engine/chain/rpc-watch.ts`. They are here once more, because
 * `run.mjs` loads this file as it is installed, and Node loads no TypeScript there.
 */

/** Milliseconds without a failure after which an RPC that answers is well again. */
const WELL_AFTER_MS = 30_000;

/** HTTP statuses of an RPC that refuses every caller. */
const REFUSED = new Set([401, 402, 403, 404, 405]);

/** JSON-RPC codes and texts of a provider that limits requests, and the longest response that is read for them. */
const LIMIT_CODES = new Set([-32_005, -32_007, 429]);
const LIMITED = /rate limit|too many requests|quota|request limit|throttl/i;
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
  if (status === 429) return ['rate-limited', untilOf(headers.get('retry-after'), now)];
  if (REFUSED.has(status)) return ['refused', null];
  if (status >= 500 || status === 408) return ['unreachable', null];
  const length = Number(headers.get('content-length') ?? Number.NaN);
  if (!(length < MAX_ERROR_BYTES)) return ['ok', null];
  const text = await response.clone().text();
  const [, code] = /"error".*"code"\s*:\s*(-?\d+)/s.exec(text) ?? [];
  const isLimit = code !== undefined && (LIMIT_CODES.has(Number(code)) || LIMITED.test(text));
  return [isLimit ? 'rate-limited' : 'ok', null];
}

/** Milliseconds since 1970 of a `Retry-After`: seconds, or a date. @param {string | null} text */
function untilOf(text, now = Date.now()) {
  if (text === null || text.trim() === '') return null;
  const until = /^\d+$/.test(text.trim()) ? now + 1_000 * Number(text) : Date.parse(text);
  return Number.isSafeInteger(until) ? until : null;
}
