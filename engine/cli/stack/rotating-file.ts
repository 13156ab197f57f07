import { closeSync, fstatSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { copyFile, stat, truncate } from 'node:fs/promises';
import { ignoreMissing } from '../ignore-missing.ts';

/** Limits of a log. */
export interface LogLimits {
  /** Bytes of one file. A longer line gets a file of its own. */
  readonly maxBytes: number;
  /** Number of files: the current one, and the previous ones. */
  readonly maxFiles: number;
}

/** Limits of each part's log: 100 MB in all. */
export const LOG_LIMITS: LogLimits = { maxBytes: 20_000_000, maxFiles: 5 };

/**
 * File that text is appended to. When it is full it becomes `<path>.1`, the previous `<path>.1` becomes
 * `<path>.2`, and so on; the oldest is deleted. Text that cannot be written, as on a full disk, is lost;
 * later text is written again as soon as there is room.
 */
export class RotatingFile {
  readonly #path: string;
  readonly #limits: LogLimits;
  #descriptor: number | undefined;
  #bytes = 0;

  /** @throws {Error} if the file cannot be opened. */
  constructor(path: string, limits: LogLimits = LOG_LIMITS) {
    this.#path = path;
    this.#limits = limits;
    this.#open();
  }

  append(text: string): void {
    const bytes = Buffer.from(text);
    try {
      if (this.#bytes > 0 && this.#bytes + bytes.length > this.#limits.maxBytes) this.#rotate();
      this.#bytes += writeSync(this.#descriptor ?? this.#open(), bytes);
    } catch {
      // A full disk loses lines, but does not end the process.
    }
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #open(): number {
    const descriptor = openSync(this.#path, 'a', 0o600);
    this.#descriptor = descriptor;
    this.#bytes = fstatSync(descriptor).size;
    return descriptor;
  }

  /** If it fails, the file stays full, so that the next text tries again. */
  #rotate(): void {
    const { maxFiles } = this.#limits;
    const name = (index: number) => (index === 0 ? this.#path : `${this.#path}.${index}`);
    rmSync(name(maxFiles - 1), { force: true });
    for (let index = maxFiles - 2; index >= 0; index -= 1) {
      renameIfThere(name(index), name(index + 1));
    }
    this.close();
    this.#bytes = 0;
  }
}

/**
 * Limits a file that another process appends to, and has open: if it is full, it is copied to `<path>.1`
 * and emptied. Lines that are written between the two are lost.
 */
export async function limitForeignFile(
  path: string,
  maxBytes = LOG_LIMITS.maxBytes,
): Promise<void> {
  try {
    if ((await stat(path)).size <= maxBytes) return;
    // Without room for the copy, the file must not grow all the same.
    await copyFile(path, `${path}.1`).catch(() => {});
    await truncate(path);
  } catch {
    // There is no such file yet.
  }
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    ignoreMissing(error as NodeJS.ErrnoException);
  }
}
