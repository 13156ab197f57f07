/**
 * Decides what a failed batch means for its campaign. No other code reads error codes for that purpose.
 */

/**
 * `data`: the campaign's own facts or rows cause it, so trying again fails again.
 * `transient`: the database, the network or another transaction causes it; it never stops a campaign.
 * `bug`: the cause is unknown. It stops a campaign only if other campaigns are settled meanwhile.
 */
export type FailureKind = 'data' | 'transient' | 'bug';

/** SQLSTATE codes that differ from their class below. */
const SQLSTATES: Readonly<Record<string, FailureKind>> = {
  // The indexer drops and makes its tables while it is indexed again.
  '42P01': 'transient',
};

/** SQLSTATE classes (PostgreSQL manual, appendix A). A class that is not listed is a `bug`. */
const SQLSTATE_CLASSES: Readonly<Record<string, FailureKind>> = {
  '08': 'transient', // connection
  '21': 'data', // cardinality: a row that must be single is there twice
  '22': 'data', // data exception: overflow, text that cannot be stored, …
  '23': 'data', // integrity constraint
  '25': 'transient', // transaction state: read-only after a failover, or aborted by an error before
  '26': 'transient', // prepared statement that a pooler lost
  '3D': 'transient', // no such database, or schema: being made or dropped
  '3F': 'transient',
  '28': 'transient', // authorization: a password is being changed
  '40': 'transient', // serialization, deadlock
  '53': 'transient', // out of disk, memory or connections
  '54': 'data', // program limits: index row too large, JSON too long
  '55': 'transient', // lock not available, object in use
  '57': 'transient', // cancelled, shutting down
  '58': 'transient', // I/O of the server
};

/** Names of errors that decoding or folding a campaign's own data throws. */
const DATA_ERRORS: ReadonlySet<string> = new Set([
  'FactError',
  'RangeError',
  'SyntaxError',
  'TypeError',
  'URIError',
  'ZodError',
  '$ZodError',
]);

/** Names of errors that say nothing about the campaign. */
const TRANSIENT_ERRORS: ReadonlySet<string> = new Set([
  'AbortError',
  'TimeoutError',
  'TryAgainError',
]);

/** Codes of the driver and of Node for a connection that failed. */
const CONNECTION_CODE = /^(?:CONNECT_TIMEOUT$|CONNECTION_|E[A-Z]{2,}|UND_ERR_)/;

/** Thrown for a condition that passes: the batch is tried again. */
export class TryAgainError extends Error {
  override readonly name = 'TryAgainError';
}

/** Returns what an error of a campaign's batch means. */
export function failureKind(error: unknown): FailureKind {
  if (!(error instanceof Error)) return 'bug';
  const code = codeOf(error);
  if (code !== null && isSqlState(code)) {
    return SQLSTATES[code] ?? SQLSTATE_CLASSES[code.slice(0, 2)] ?? 'bug';
  }
  // An error of the network may be a TypeError on the outside ("fetch failed") and name its code within.
  if (isConnectionError(error)) return 'transient';
  if (TRANSIENT_ERRORS.has(error.name)) return 'transient';
  return DATA_ERRORS.has(error.name) ? 'data' : 'bug';
}

const MAX_CAUSES = 8;
const MAX_REASON_CHARACTERS = 500;

function isConnectionError(error: Error): boolean {
  let at: unknown = error;
  for (let depth = 0; depth < MAX_CAUSES && at instanceof Error; depth += 1) {
    const code = codeOf(at);
    if (code !== null && CONNECTION_CODE.test(code) && !code.startsWith('ERR_')) return true;
    at = at.cause;
  }
  return false;
}

/** SQLSTATE is five digits or capitals, like `22003`; Node's codes are words. */
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && /[0-9]/.test(code);
}

function codeOf(error: Error): string | null {
  return 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** The reason that is recorded for a stopped campaign: one line that PostgreSQL can store. */
export function failureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'an error without a message';
  const code = codeOf(error);
  const message = code === null ? error.message : `${error.message} (${code})`;
  const line = message.replace(/\s+/g, ' ').replaceAll('\0', '\uFFFD').toWellFormed();
  return line.length > MAX_REASON_CHARACTERS ? `${line.slice(0, MAX_REASON_CHARACTERS)}…` : line;
}
