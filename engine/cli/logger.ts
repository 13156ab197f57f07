import pino, { type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { plainLines, plainText } from '../core/plain-text.ts';
import { openLogOutput } from './log-output.ts';

/** Fields that are removed from logs, at any of the first three levels. */
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
 * Makes the log of a process: JSON lines without secrets. Errors have their class, code, message and
 * stack, with URLs cut to their host (they may hold a key) and without long hex strings and tokens.
 * Every string is escaped so that a stranger's text neither acts on the terminal of a reader nor begins a line; strings of
 * a line that is too long are shortened.
 * @param options the level, and `base`: fields of every line.
 * @param destination receives the lines; default standard output.
 */
export function makeLogger(
  options: Pick<LoggerOptions, 'level' | 'base'>,
  destination: DestinationStream = openLogOutput(),
): Logger {
  const hooks = { streamWrite: (line: string) => plainLines(limited(line)) };
  return pino({ ...options, redact, serializers: { err: plainError }, hooks }, destination);
}

/** Maximum length of a line whose strings are as they were logged. */
const MAX_LINE = 32_768;

/** A line of JSON; if it is too long, with shorter strings. */
function limited(line: string): string {
  if (line.length <= MAX_LINE) return line;
  const shorter = (_: string, value: unknown) =>
    typeof value === 'string' ? plainText(value) : value;
  return `${JSON.stringify(JSON.parse(line, shorter))}\n`;
}

/** Maximum depth of logged causes. */
const MAX_CAUSES = 4;

function plainError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? scrub(error) : typeof error;
  const code = 'code' in error ? error.code : undefined;
  return {
    type: error.name,
    message: scrub(error.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code: String(code) } : {}),
    ...(error.stack === undefined ? {} : { stack: scrub(error.stack) }),
    ...(error.cause instanceof Error && depth < MAX_CAUSES
      ? { cause: plainError(error.cause, depth + 1) }
      : {}),
  };
}

function scrub(text: string): string {
  return text
    .replace(/\b([a-z][a-z0-9+.-]{1,12}):\/\/(?:[^\s/@"']*@)?([^\s/"'?#)]+)[^\s"')]*/gi, redactUrl)
    .replace(/0x[0-9a-f]{65,}/gi, '0x[redacted]')
    .replace(/\b[\w-]*tributary-session=[^;\s]*/gi, '[redacted]');
}

/** Leaves `file:` URLs of a stack trace as they are. */
function redactUrl(whole: string, scheme: string, host: string): string {
  return scheme === 'file' ? whole : `${scheme}://${host}`;
}
