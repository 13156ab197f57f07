import { isSlugFree, suggestSlug } from '../../../db/commerce/own-merchant.ts';
import type { Handler } from '../../handler-types.ts';

/** `merchants.slugAvailable`: the caller's own slug counts as available. */
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
