import type { Handler } from '../../handler.ts';
import { requireMerchant } from '../../own-merchant.ts';
import { ownMerchant } from '../../render/own-merchant.ts';

/** `merchants.me`: the profile of the signed-in account, closed or not. */
export const me: Handler<'merchants.me'> = async (_input, { pool }, { session }) => ({
  data: ownMerchant(await requireMerchant(pool, session.address)),
});
