import { createWriteStream, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Log file of whole lines, without the secrets that a child may have printed. */
export type LogFile = {
  /** Writes every line of a stream to the file and passes it to a callback, without secrets. */
  follow(stream: Readable, onLine?: (line: string) => void): void;
  /** Resolves when everything is on disk. */
  close(): Promise<void>;
};

/**
 * Opens a log for appending, and creates its folder.
 *
 * @param secrets strings that are written as `***`, such as a database URL with its password.
 * @throws {Error} if the file cannot be written.
 */
export function openLogFile(path: string, secrets: readonly string[] = []): LogFile {
  mkdirSync(dirname(path), { recursive: true });
  const file = createWriteStream(path, { fd: openSync(path, 'a', 0o600) });
  // A full disk loses lines, but does not end the process.
  file.on('error', () => {});
  const hidden = [...new Set(secrets.flatMap(spellings))].sort((a, b) => b.length - a.length);
  const redact = (line: string) =>
    hidden.reduce((text, secret) => text.replaceAll(secret, '***'), line);
  return {
    follow(stream, onLine) {
      createInterface({ input: stream }).on('line', (line) => {
        const safe = redact(line);
        file.write(`${safe}\n`);
        onLine?.(safe);
      });
    },
    close: () => new Promise((resolve) => file.end(() => resolve())),
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
