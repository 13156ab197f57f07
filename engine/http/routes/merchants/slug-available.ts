import { isReservedName } from '../../../core/reserved-names.ts';
import { isSlugFree, suggestSlug } from '../../../db/commerce/own-merchant.ts';
import type { Handler } from '../../handler-types.ts';

/** `merchants.slugAvailable`: the caller's own slug counts as available. */
export const slugAvailable: Handler<'merchants.slugAvailable'> = async (
  { slug },
  { pool, clock },
  { merchant },
) => {
  const isReserved = isReservedName(slug);
  const available = !isReserved && (await isSlugFree(pool, slug, merchant, new Date(clock())));
  const suggestion = available ? null : await suggestSlug(pool, slug);
  // A slug with the service's own name in it has no free variant.
  const isUsable = suggestion !== null && !isReservedName(suggestion);
  return { data: { slug, available, suggestion: isUsable ? suggestion : null } };
};
