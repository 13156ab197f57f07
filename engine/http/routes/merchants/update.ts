import { isTaken, updateMerchant } from '../../../db/commerce/own-merchant.ts';
import type { Handler } from '../../handler-types.ts';
import { ownMerchant } from '../../render/own-merchant.ts';
import {
  asOpenMerchant,
  rethrowRefusal,
  slugTaken,
} from '../../resources/merchants/own-merchant.ts';
import { requireOneScript, requireUnreserved } from '../../resources/reserved-names.ts';

/** `merchants.update`: omitted fields stay, and `null` clears a field. */
export const update: Handler<'merchants.update'> = async (
  input,
  { pool, clock },
  { merchant: address },
) => {
  requireUnreserved('slug', input.slug);
  requireUnreserved('name', input.name);
  requireOneScript('name', input.name);
  try {
    const updated = await asOpenMerchant(pool, address, async (sql, merchant) => {
      const { slug, name, description, websiteUrl, supportEmail } = {
        ...merchant,
        ...definedFields(input),
      };
      const text = { slug, name, description, websiteUrl, supportEmail };
      return await updateMerchant(sql, merchant, text, new Date(clock()));
    });
    return { data: ownMerchant(updated) };
  } catch (error) {
    if (input.slug !== undefined && isTaken(error)) throw await slugTaken(pool, input.slug);
    return rethrowRefusal(input)(error);
  }
};

/** Input without its undefined fields. */
function definedFields<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  // Object.fromEntries loses the names of the remaining fields.
  return Object.fromEntries(fields) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
