import { isSlugFree, suggestSlug } from '../../../db/commerce/own-merchant.ts';
import type { Handler } from '../../handler.ts';

/** `merchants.slugAvailable`: one's own slug is free for oneself. */
export const slugAvailable: Handler<'merchants.slugAvailable'> = async (
  { slug },
  { pool },
  { session },
) => {
  const available = await isSlugFree(pool, slug, session.address);
  return {
    data: { slug, available, suggestion: available ? null : await suggestSlug(pool, slug) },
  };
};
