/** A refusal of an RPC, in its own words. */
export interface RpcRefusal {
  /** The code of its JSON-RPC error. */
  readonly code?: number | undefined;
  /** The words of its JSON-RPC error. */
  readonly words?: string | undefined;
  /** The HTTP status of the response. */
  readonly status?: number | undefined;
}

/**
 * The change after which an RPC answers:
 * - `rate`: ask later. Smaller requests would only be more of them.
 * - `size`: ask for less in one request, and this may be done immediately.
 * - `unclear`: ask later and for less. Providers call both a limit, some by the same code.
 */
export type RefusalKind = 'rate' | 'size' | 'unclear';

/** Words about how much is requested in a time, or in all: they outweigh others. */
const ABOUT_RATE =
  /\brate\b|too many requests|request limit|\/second|per[- ](?:second|minute|hour|day|month)|daily|monthly|quota|credits?\b|throttl|retry in \d/i;

/** Words about how much one request asks for, of which a refusal has one of each kind, and other such words. */
const SIZES = /\b(?:blocks?|ranges?|results?|logs?|response|filter)\b/i;
const LIMITS =
  /limit|exceed|max|at most|up to|too (?:many|large|big|wide|high)|more than|\bover\b|greater|bigger|narrow|not allowed/i;
const OTHER_SIZES = /too (?:large|big)|length limit|memory capacity|query timeout/i;

/** Codes that providers give for the rate alone. -32005 is not one: it is also that of too many results. */
const RATE_CODES: ReadonlySet<number> = new Set([
  ...[429, -32_007, -32_016, -32_029, -32_090, -32_097],
]);

/** Says what a refusal is about. */
export function refusalKind({ code, words = '', status }: RpcRefusal): RefusalKind {
  if (status === 429 || ABOUT_RATE.test(words)) return 'rate';
  const isAboutSize = (SIZES.test(words) && LIMITS.test(words)) || OTHER_SIZES.test(words);
  if (status === 413 || isAboutSize) return 'size';
  return RATE_CODES.has(code ?? 0) ? 'rate' : 'unclear';
}

/** Milliseconds that an RPC is not asked after it said how long to wait, at most: some say a year. */
const MAX_WAIT_MS = 300_000;

/** Places in which an RPC says when to ask again. */
export interface WaitWords {
  /** The HTTP header `retry-after`. */
  readonly retryAfter?: string | null | undefined;
  readonly words?: string | undefined;
  /** The field `data` of its JSON-RPC error. */
  readonly data?: unknown;
}

/**
 * Milliseconds to wait before an RPC is asked again, as it said; 0 if it did not say.
 * @param now milliseconds.
 */
export function waitMs({ retryAfter, words = '', data }: WaitWords, now: number): number {
  const backoff: unknown = Object(Object(data).rate).backoff_seconds;
  const [, minutes = '', seconds = ''] = /retry in (?:(\d+)m)?(?:(\d+)s)?/i.exec(words) ?? [];
  const waits = [
    retryAfter == null ? 0 : afterHeader(retryAfter.trim(), now),
    1_000 * (60 * Number(minutes) + Number(seconds)),
    typeof backoff === 'number' ? 1_000 * backoff : 0,
  ];
  return Math.min(MAX_WAIT_MS, Math.max(...waits.filter(Number.isFinite)));
}

/** Seconds, or a date (RFC 9110, section 10.2.3). */
function afterHeader(value: string, now: number): number {
  return /^\d+$/.test(value) ? 1_000 * Number(value) : Math.max(0, Date.parse(value) - now);
}
