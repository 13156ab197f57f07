import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { exitCodes } from '../exit-codes.ts';
import { messageOf, type StartupCheck } from './startup-check.ts';

const MIB = 2 ** 20;

/** Free bytes below which nothing can be stored for long, and below which it is time to know. */
const FEW_BYTES = { refused: 100 * MIB, reported: 1_024 * MIB } as const;

/**
 * Checks that the data folder can be written, and that its disk has room.
 * @param isNeeded true if the database is in the folder; otherwise only uploads, exports and logs are.
 */
export function folderCheck(dataDir: string, isNeeded: boolean): StartupCheck {
  const folder = resolve(dataDir);
  const exit = isNeeded ? { exitCode: exitCodes.failed } : {};
  return {
    late: { sentence: `DATA_DIR: the disk of ${folder} does not respond.`, ...exit },
    run: async () => {
      try {
        await mkdir(folder, { recursive: true });
        const file = join(folder, `.${randomUUID()}`);
        await writeFile(file, 'written at a start, to see if it can be');
        await rm(file);
      } catch (error) {
        // A full disk refuses the file too; what follows says how full.
        const isFull = error instanceof Error && 'code' in error && error.code === 'ENOSPC';
        const sentence = `DATA_DIR cannot be written: ${folder} (${messageOf(error)}). Set it to a folder that this account may write.`;
        if (!isFull) return { findings: [{ sentence, ...exit }] };
      }
      const unreadable = await unreadablePassword(folder);
      if (isNeeded && unreadable !== undefined) {
        return { findings: [{ sentence: unreadable, ...exit }] };
      }
      const { bavail, bsize } = await statfs(folder);
      const free = bavail * bsize;
      if (free >= FEW_BYTES.reported) return {};
      const sentence = `DATA_DIR: the disk of ${folder} has ${free} bytes free (${Math.floor(free / MIB)} MiB): make room, or name a folder of another disk.`;
      return { findings: [{ sentence, ...(free < FEW_BYTES.refused ? exit : {}) }] };
    },
  };
}

/** Sentence about a password of the embedded PostgreSQL that is there, and cannot be read. */
async function unreadablePassword(folder: string): Promise<string | undefined> {
  const path = join(folder, 'postgres.password');
  return await readFile(path).then(
    () => undefined,
    (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT'
        ? undefined
        : `DATA_DIR: the password of the embedded PostgreSQL cannot be read from ${path} (${error.code}): let this account read it.`,
  );
}
