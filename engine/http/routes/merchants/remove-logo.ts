import { dropLogos } from '../../../db/commerce/assets.ts';
import { setLogo } from '../../../db/commerce/own-merchant.ts';
import { removeFiles } from '../../files/store-upload.ts';
import type { Handler } from '../../handler-types.ts';
import { asOpenMerchant } from '../../resources/merchants/own-merchant.ts';

/** `merchants.removeLogo`: deletes the logo of the caller and its file. */
export const removeLogo: Handler<'merchants.removeLogo'> = async (
  _input,
  deps,
  { merchant: address },
) => {
  const files = await asOpenMerchant(deps.pool, address, async (sql, merchant) => {
    if (merchant.logo === null) return [];
    await setLogo(sql, merchant.id, null, new Date(deps.clock()));
    return await dropLogos(sql, merchant.id, null);
  });
  await removeFiles(deps, files);
  return { data: { ok: true } };
};
