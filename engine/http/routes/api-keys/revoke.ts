import { revokeKey } from '../../../db/commerce/api-keys.ts';
import { notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { apiKey } from '../../render/api-key.ts';

/** `apiKeys.revoke`: ends a key of the caller, for good. Revoking it again answers the same. */
export const revoke: Handler<'apiKeys.revoke'> = async ({ id }, deps, { account }) => {
  const now = new Date(deps.clock());
  const revoked = await deps.pool.begin((sql) => revokeKey(sql, account, id, now));
  if (revoked === undefined) throw notFound(`You have no API key ${id}.`);
  return { data: apiKey(revoked) };
};
