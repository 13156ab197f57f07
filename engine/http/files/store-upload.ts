import type { Asset } from '../../db/commerce/assets.ts';
import type { ProductMedia } from '../../db/rows/commerce.ts';
import { newId } from '../auth/token.ts';
import type { AppDeps } from '../deps.ts';
import { HttpError } from '../errors.ts';
import type { InspectedFile } from './inspect-upload.ts';

/**
 * Stores a file and then its row: the file first, so that no row names a file that does not exist. If
 * storing either of them fails, or the time limit of the request passes, the file is deleted.
 * @param write writes the row; its error is rethrown.
 * @throws {HttpError} STORAGE_FULL if the storage has no room.
 * @throws {HttpError} NOT_READY if the storage fails for another reason, which is logged.
 */
export async function storeUpload<T>(
  deps: Pick<AppDeps, 'files' | 'logger' | 'signal'>,
  { bytes, ...file }: InspectedFile,
  owner: Pick<Asset, 'merchantId' | 'productId'>,
  write: (asset: Asset) => Promise<T>,
): Promise<T> {
  const id = newId();
  const key = `media/${id}`;
  await putFile(deps, key, bytes, file.contentType);
  try {
    return await write({ id, key, size: bytes.length, ...owner, ...file });
  } catch (error) {
    await removeFiles(deps, [key]);
    throw error;
  }
}

async function putFile(
  deps: Pick<AppDeps, 'files' | 'logger' | 'signal'>,
  key: string,
  bytes: Uint8Array,
  contentType: string,
): Promise<void> {
  const { files, logger, signal } = deps;
  const put = files.put(key, bytes, { contentType, contentLength: bytes.length });
  try {
    await untilAborted(put, signal);
  } catch (error) {
    // Deleted after the last byte was written, which may be after the response.
    const removed = put.catch(() => {}).then(() => removeFiles(deps, [key]));
    if (signal?.aborted) throw error;
    await removed;
    logger.error({ err: error, key }, 'a file could not be stored');
    throw isFull(error)
      ? new HttpError('STORAGE_FULL', 'There is no room for files: nothing was stored.')
      : new HttpError(
          'NOT_READY',
          'The file storage is not answering: nothing was stored, try again.',
        );
  }
}

/** Result of the work, unless the signal is aborted first: then the work continues, but is ignored. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  signal.throwIfAborted();
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** True if a disk, quota or bucket is full; each maker of buckets has its own name for that. */
function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  const full =
    code === 'ENOSPC' || code === 'EDQUOT' || /StorageFull|QuotaExceeded/.test(error.name);
  return full || isFull(error.cause);
}

/** Deletes files whose rows are gone. A failure is only logged: such a file is never served. */
export async function removeFiles(
  { files, logger }: Pick<AppDeps, 'files' | 'logger'>,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    await files.delete(key).catch((err: unknown) => {
      logger.warn({ err, key }, 'an unused file could not be deleted');
    });
  }
}

/** Asset as a product or profile lists it. Only an image has a public URL. */
export function mediaItemOf({ publicUrl }: Pick<AppDeps, 'publicUrl'>, asset: Asset): ProductMedia {
  const { id, kind, size, sha256, width, height } = asset;
  const item = { id, kind, size, sha256 };
  if (kind === 'download' || width === null || height === null) return item;
  return { ...item, url: `${publicUrl}/media/${id}`, width, height };
}
