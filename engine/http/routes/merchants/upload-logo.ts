import { addAsset, dropLogos } from '../../../db/commerce/assets.ts';
import { setLogo } from '../../../db/commerce/own-merchant.ts';
import { HttpError } from '../../errors.ts';
import { inspectUpload } from '../../files/inspect-upload.ts';
import { requireRoom } from '../../files/room.ts';
import { mediaItemOf, removeFiles, storeUpload } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant, requireOpenMerchant } from '../../resources/merchants/own-merchant.ts';

/** Bytes of the largest logo that is accepted. */
const MAX_LOGO_BYTES = 1024 * 1024;

/** `merchants.uploadLogo`: replaces the logo and deletes the previous file. */
export const uploadLogo: Handler<'merchants.uploadLogo'> = async ({ file }, deps, { merchant }) => {
  const { pool } = deps;
  const { id: merchantId } = await requireOpenMerchant(pool, merchant);
  if (file.size > MAX_LOGO_BYTES) {
    throw new HttpError('PAYLOAD_TOO_LARGE', `A logo may have at most ${MAX_LOGO_BYTES} bytes.`);
  }
  const inspected = await inspectUpload(file);
  if (inspected.kind !== 'image') {
    throw new HttpError(
      'UNSUPPORTED_MEDIA_TYPE',
      'A logo must be a PNG, JPEG, WebP, GIF or AVIF image.',
    );
  }
  const owner = { merchantId, productId: null };
  const { logo, dropped } = await storeUpload(deps, inspected, owner, async (asset) => {
    const media = mediaItemOf(deps, asset);
    const old = await asOpenMerchant(pool, merchant, async (sql) => {
      await requireRoom(sql, asset);
      const now = new Date(deps.clock());
      await addAsset(sql, asset, now);
      await setLogo(sql, merchantId, media, now);
      return await dropLogos(sql, merchantId, asset.id);
    });
    return { logo: media, dropped: old };
  });
  await removeFiles(deps, dropped);
  return { data: { logo } };
};
