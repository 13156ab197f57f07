import { type Asset, assetTotals } from '../../db/commerce/assets.ts';
import type { Sql } from '../../db/connection.ts';
import { type HttpError, unprocessable } from '../errors.ts';

/** Files that a product may have. */
const MAX_PRODUCT_ASSETS = 100;
/** Bytes that all files of a merchant may have: 1 GiB. */
const MAX_MERCHANT_BYTES = 1024 ** 3;

/**
 * Requires that another file fits within the limits. The merchant's row must be locked.
 * @throws {HttpError} UNPROCESSABLE naming the limit that the file would exceed, and how to make room.
 */
export async function requireRoom(sql: Sql, asset: Asset): Promise<void> {
  const { files, bytes } = await assetTotals(sql, asset);
  if (asset.productId !== null && files >= MAX_PRODUCT_ASSETS) {
    throw refused(
      `The product already has ${files} of at most ${MAX_PRODUCT_ASSETS} files: save it with only the mediaIds that it needs.`,
    );
  }
  if (bytes + asset.size > MAX_MERCHANT_BYTES) {
    throw refused(
      `Your files already have ${bytes} of at most ${MAX_MERCHANT_BYTES} bytes: save products with only the mediaIds that they need.`,
    );
  }
}

function refused(message: string): HttpError {
  return unprocessable(message, [{ path: 'file', message }]);
}
