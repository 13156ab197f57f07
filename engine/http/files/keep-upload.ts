import type { Asset } from '../../db/commerce/assets.ts';
import type { ProductMedia } from '../../db/commerce/save-product.ts';
import { newId } from '../auth/token.ts';
import type { AppDeps } from '../deps.ts';
import { StorageFullError, StorageUnavailableError } from '../errors.ts';
import type { InspectedFile } from './inspect-upload.ts';

/**
 * Puts a file into the storage and then has its row written: file first, so that no row names a file
 * that is not there. If the file or its row cannot be written, or the time of the request is over, no
 * part of the file stays.
 * @param write writes the row; its error is thrown on.
 * @throws {StorageFullError} if the storage has no room.
 * @throws {StorageUnavailableError} if the storage fails for another reason, which is logged.
 */
export async function keepUpload<T>(
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
    // Deleted after the last byte was written, which may be later than the answer.
    const removed = put.catch(() => {}).then(() => removeFiles(deps, [key]));
    if (signal?.aborted) throw error;
    await removed;
    logger.error({ err: error, key }, 'a file could not be stored');
    throw isFull(error) ? new StorageFullError() : new StorageUnavailableError();
  }
}

/** The result of the work, unless the signal comes first; the work then goes on unheard. */
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

/** True if a disk or a quota is full; or a bucket, whose maker names it in its own way. */
function isFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? error.code : undefined;
  const full =
    code === 'ENOSPC' || code === 'EDQUOT' || /StorageFull|QuotaExceeded/.test(error.name);
  return full || isFull(error.cause);
}

/** Deletes files whose rows are gone. One that stays is served to nobody: it is only logged. */
export async function removeFiles(
  { files, logger }: Pick<AppDeps, 'files' | 'logger'>,
  keys: readonly string[],
): Promise<void> {
  for (const key of keys) {
    await files.delete(key).catch((err: unknown) => {
      logger.warn({ err, key }, 'a file that nothing names could not be deleted');
    });
  }
}

/** An asset as a product or a profile names it; only an image has an address for everybody. */
export function mediaItemOf({ publicUrl }: Pick<AppDeps, 'publicUrl'>, asset: Asset): ProductMedia {
  const { id, kind, size, sha256, width, height } = asset;
  const item = { id, kind, size, sha256 };
  if (kind === 'download' || width === null || height === null) return item;
  return { ...item, url: `${publicUrl}/media/${id}`, width, height };
}
