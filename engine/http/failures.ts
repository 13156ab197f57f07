import { NotSettledError } from '../db/read/snapshot.ts';
import { type Failure, HttpError, httpFailure, internalError } from './errors.ts';

/** Answer to an error. An unknown error becomes INTERNAL, and its message stays on the server. */
export function failureOf(error: unknown): Failure {
  return httpFailure(knownError(error));
}

function knownError(error: unknown): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof NotSettledError) return new HttpError('NOT_READY', error.message);
  return isDatabaseOutage(error)
    ? new HttpError('NOT_READY', 'The database is not answering: try again.')
    : internalError();
}

/**
 * Codes that say that the database is away, too busy or too slow, and not that a query is wrong:
 * SQLSTATE classes 08, 53 and 57, and the codes of lost connections and of sockets.
 */
const OUTAGE = /^(08|53|57)[0-9A-Z]{3}$|^CONNECT|^(ECONN|EPIPE|ENOTFOUND|EAI_|ETIMEDOUT|EHOST)/;

/** True if an error says that the database cannot answer now. */
export function isDatabaseOutage(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' && OUTAGE.test(code);
}
