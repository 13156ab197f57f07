import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { openLogOutput } from './log-output.ts';

/** Fields that hold what nobody may read in a log, at any of the first three levels. */
const SECRETS = [
  'authorization',
  'cookie',
  'cookies',
  'csrfToken',
  'password',
  'secret',
  'set-cookie',
  'setCookie',
  'signature',
  'token',
  'x-csrf-token',
];

const redact = {
  paths: SECRETS.flatMap((name) => [`["${name}"]`, `*["${name}"]`, `*.*["${name}"]`]),
  censor: '[redacted]',
};

/**
 * The log of a process: JSON lines, without secrets. Errors keep their class, code, sentence and
 * stack, with URLs cut to their host (an RPC's or a database's may hold a key) and long hex and
 * tokens taken out.
 * @param options the level, and `base`: fields of every line.
 * @param destination what takes the lines; default standard output.
 */
export function makeLogger(
  options: Pick<LoggerOptions, 'level' | 'base'>,
  destination: DestinationStream = openLogOutput(),
): Logger {
  return pino({ ...options, redact, serializers: { err: plainError } }, destination);
}

/** Causes of causes that are told. */
const CAUSES_MOST = 4;

function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? scrub(error) : typeof error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: scrub(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(error.stack === undefined ? {} : { stack: scrub(error.stack) }),
    ...(error.cause instanceof Error && depth < CAUSES_MOST
      ? { cause: plainError(error.cause, depth + 1) }
      : {}),
  };
}

function scrub(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]{1,12}):\/\/(?:[^\s/@"']*@)?([^\s/"'?#)]+)[^\s"')]*/gi, keepFiles)
    .replace(/0x[0-9a-f]{65,}/gi, '0x[redacted]')
    .replace(/\b[\w-]*tributary-session=[^;\s]*/gi, '[redacted]');
}

/** A stack names our own files by URL: they hold no secret. */
function keepFiles(whole: string, scheme: string, host: string): string {
  return scheme === 'file' ? whole : `${scheme}://${host}`;
}
