import type { Asset } from '../../db/commerce/assets.ts';
import type { ProductMedia } from '../../db/commerce/save-product.ts';
import { newId } from '../auth/token.ts';
import type { AppDeps } from '../deps.ts';
import type { InspectedFile } from './inspect-upload.ts';

/**
 * Puts a file into the storage and then has its row written: file first, so that no row names a file
 * that is not there. Where the row cannot be written, the file is taken away again.
 * @param write writes the row; its error is thrown on.
 */
export async function keepUpload<T>(
  deps: Pick<AppDeps, 'files' | 'logger'>,
  { bytes, ...file }: InspectedFile,
  owner: Pick<Asset, 'merchantId' | 'productId'>,
  write: (asset: Asset) => Promise<T>,
): Promise<T> {
  const id = newId();
  const key = `media/${id}`;
  await deps.files.put(key, bytes, { contentType: file.contentType, contentLength: bytes.length });
  try {
    return await write({ id, key, size: bytes.length, ...owner, ...file });
  } catch (error) {
    await removeFiles(deps, [key]);
    throw error;
  }
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
