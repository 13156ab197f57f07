import { isTaken, updateMerchant } from '../../../db/commerce/own-merchant.ts';
import type { Handler } from '../../handler.ts';
import { asOpenMerchant } from '../../own-merchant.ts';
import { ownMerchant } from '../../render/own-merchant.ts';
import { slugTaken } from './setup.ts';

/** `merchants.update`: what is left out stays, and `null` empties. */
export const update: Handler<'merchants.update'> = async (input, { pool, clock }, { session }) => {
  try {
    const updated = await asOpenMerchant(pool, session.address, async (sql, merchant) => {
      const { slug, name, description, websiteUrl, supportEmail } = {
        ...merchant,
        ...given(input),
      };
      const text = { slug, name, description, websiteUrl, supportEmail };
      return await updateMerchant(sql, merchant.id, text, new Date(clock()));
    });
    return { data: ownMerchant(updated) };
  } catch (error) {
    if (input.slug === undefined || !isTaken(error)) throw error;
    throw await slugTaken(pool, input.slug);
  }
};

/** The fields that are there. */
function given<T extends object>(input: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const fields = Object.entries(input).filter(([, value]) => value !== undefined);
  // The same fields less those that are undefined, which no type says of Object.fromEntries.
  return Object.fromEntries(fields) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
