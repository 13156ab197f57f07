import type { Handler } from '../../handler-types.ts';
import { ownMerchant } from '../../render/own-merchant.ts';
import { requireMerchant } from '../../resources/merchants/own-merchant.ts';

/** `merchants.me`: the profile of the signed-in account, closed or not. */
export const me: Handler<'merchants.me'> = async (_input, { pool }, { merchant }) => ({
  data: ownMerchant(await requireMerchant(pool, merchant)),
});
