import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { plainLines } from '../../core/plain-text.ts';
import { type LogLimits, RotatingFile } from './rotating-file.ts';

/**
 * Log file of whole lines, without the secrets that a child may have printed, and without what would act on the terminal
 * of a reader: a child logs texts of strangers.
 */
export type LogFile = {
  /** Writes every line of a stream to the file and passes it to a callback, without secrets and as plain text. */
  follow(stream: Readable, onLine?: (line: string) => void): void;
  /** Everything that was followed is written already. */
  close(): void;
};

/**
 * Opens a log for appending, and creates its folder. Files are limited in size and number; on a full
 * disk, lines are lost.
 *
 * @param path without it, lines are only passed to the callbacks.
 * @param secrets strings that are written as `***`, such as a database URL with its password.
 * @throws {Error} if the file cannot be written.
 */
export function openLogFile(
  path: string | undefined,
  secrets: readonly string[] = [],
  limits?: LogLimits,
): LogFile {
  if (path !== undefined) mkdirSync(dirname(path), { recursive: true });
  const file = path === undefined ? undefined : new RotatingFile(path, limits);
  const hidden = [...new Set(secrets.flatMap(spellings))].sort((a, b) => b.length - a.length);
  const redact = (line: string) =>
    hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return {
    follow(stream, onLine) {
      createInterface({ input: stream }).on('line', (line) => {
        const safe = plainLines(redact(line));
        file?.append(`${safe}\n`);
        onLine?.(safe);
      });
    },
    close: () => file?.close(),
  };
}

/**
 * Forms in which a secret can appear: as given; for a URL also its password and any key in its path.
 * Shorter strings are left, because they may be words of ordinary messages.
 */
function spellings(secret: string): string[] {
  if (!URL.canParse(secret)) return [secret].filter(Boolean);
  const { password, pathname, search } = new URL(secret);
  const keys = [...pathname.split('/'), search].filter((part) => part.length >= 16);
  const passwords = [password, decodeURIComponent(password)].filter((part) => part.length >= 8);
  return [secret, ...keys, ...passwords];
}
