import { expireKey, lockKey } from '../../../db/commerce/api-keys.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Handler } from '../../handler-types.ts';
import { makeKey } from '../../resources/api-keys/make-key.ts';

/** Seconds for which both keys are good: a day. */
const OVERLAP_SECONDS = 86_400;

/** `apiKeys.rotate`: makes a key with the same rights, and lets the old one expire after an overlap. */
export const rotate: Handler<'apiKeys.rotate'> = async (input, deps, { account }) => {
  const { id, overlapSeconds = OVERLAP_SECONDS } = input;
  const now = new Date(deps.clock());
  const data = await deps.pool.begin(async (sql) => {
    const old = await lockKey(sql, account, id);
    if (old === undefined) throw notFound(`You have no API key ${id}.`);
    if (old.revokedAt !== null || (old.expiresAt !== null && old.expiresAt <= now)) {
      throw conflict(`The API key ${id} is no longer in use: create a new one.`);
    }
    await expireKey(sql, id, new Date(now.getTime() + overlapSeconds * 1_000));
    const { merchant, name, scopes, addresses, expiresAt } = old;
    const rights = { account, merchant, name, scopes, addresses, createdAt: now, expiresAt };
    return await makeKey(sql, deps, rights);
  });
  return { data };
};
