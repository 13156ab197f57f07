import type { Address } from '../../../core/events.ts';
import { addAsset } from '../../../db/commerce/assets.ts';
import type { Sql } from '../../../db/connection.ts';
import { readOwnProduct } from '../../../db/read/products/own.ts';
import { notFound } from '../../errors.ts';
import { inspectUpload } from '../../files/inspect-upload.ts';
import { requireRoom } from '../../files/room.ts';
import { mediaItemOf, storeUpload } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant, requireOpenMerchant } from '../../resources/merchants/own-merchant.ts';

/**
 * `products.uploadAsset`: stores an image of a product, or a file for its buyers. It belongs to the product
 * once a save names it.
 */
export const uploadAsset: Handler<'products.uploadAsset'> = async (
  { id: productId, file },
  deps,
  { merchant },
) => {
  const { pool } = deps;
  const { id: merchantId } = await requireOpenMerchant(pool, merchant);
  await requireProduct(pool, merchant, productId);
  const inspected = await inspectUpload(file);
  const asset = mediaItemOf(
    deps,
    await storeUpload(deps, inspected, { merchantId, productId }, async (stored) => {
      await asOpenMerchant(pool, merchant, async (sql) => {
        // It may have been deleted while the file was stored.
        await requireProduct(sql, merchant, productId);
        await requireRoom(sql, stored);
        await addAsset(sql, stored, new Date(deps.clock()));
      });
      return stored;
    }),
  );
  return { data: { asset, contentType: inspected.contentType } };
};

async function requireProduct(sql: Sql, merchant: Address, productId: string): Promise<void> {
  if ((await readOwnProduct(sql, merchant, productId)) !== undefined) return;
  throw notFound(`You have no product ${productId}: save it first, as a draft.`);
}
