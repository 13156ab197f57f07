import { publicNames } from '../../../db/read/lookups/names.ts';
import type { Handler } from '../../handler-types.ts';
import { lowerAddress } from '../../input/address.ts';

/** `lookups.names`: what accounts are called. */
export const names: Handler<'lookups.names'> = async (input, { pool }) => ({
  data: { items: await publicNames(pool, input.addresses.map(lowerAddress)) },
});
