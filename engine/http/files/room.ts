import { type Asset, assetTotals } from '../../db/commerce/assets.ts';
import type { Sql } from '../../db/connection.ts';
import { UnprocessableError } from '../errors.ts';

/** Files of a product. */
const PRODUCT_ASSETS_MOST = 100;
/** Bytes of all files of a merchant: 1 GiB. */
const MERCHANT_BYTES_MOST = 1024 ** 3;

/**
 * Whether another file fits; to be asked with the merchant's row locked.
 * @throws {UnprocessableError} saying which limit it would pass, and what makes room.
 */
export async function requireRoom(sql: Sql, asset: Asset): Promise<void> {
  const { files, bytes } = await assetTotals(sql, asset);
  if (asset.productId !== null && files >= PRODUCT_ASSETS_MOST) {
    throw refused(
      `The product has ${files} files already, and may have ${PRODUCT_ASSETS_MOST}: save it with the mediaIds that it needs.`,
    );
  }
  if (bytes + asset.size > MERCHANT_BYTES_MOST) {
    throw refused(
      `Your files have ${bytes} bytes already, and may have ${MERCHANT_BYTES_MOST} in all: save products with the mediaIds that they need.`,
    );
  }
}

function refused(message: string): UnprocessableError {
  return new UnprocessableError(message, [{ path: 'file', message }]);
}
