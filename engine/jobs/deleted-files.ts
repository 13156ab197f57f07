import { deletedFiles, forgetFile } from '../db/commerce/purges.ts';
import type { JobContext } from './context.ts';

/** Removes some files of deleted accounts. One that cannot be removed now is tried again by the next run. */
export async function removeDeletedFiles({ pool, files, log }: JobContext): Promise<void> {
  for (const key of await deletedFiles(pool)) {
    try {
      await files.delete(key);
      await forgetFile(pool, key);
    } catch (error) {
      log.error({ err: error, file: key }, 'a file of a deleted account could not be removed');
    }
  }
}
