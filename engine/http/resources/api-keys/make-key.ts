import { LOCAL_CHAIN_ID } from '../../../chain/rpc-chain.ts';
import { MAX_KEYS, type StoredKey, storeKey } from '../../../db/commerce/api-keys.ts';
import type { Sql } from '../../../db/connection.ts';
import { keyHashOf, newKey } from '../../auth/api-key.ts';
import type { AppDeps } from '../../deps.ts';
import { unprocessable } from '../../errors.ts';
import { apiKey } from '../../render/api-key.ts';

/** Everything of a key but what is made for it. */
type Rights = Omit<StoredKey, 'id' | 'hash' | 'prefix'>;

/**
 * Makes a key in a transaction.
 * @throws {HttpError} UNPROCESSABLE if the account has as many as it may have.
 */
export async function makeKey(
  sql: Sql,
  { keys, deployment }: Pick<AppDeps, 'keys' | 'deployment'>,
  rights: Rights,
) {
  const { id, text, prefix } = newKey(deployment.chainId === LOCAL_CHAIN_ID);
  const stored = await storeKey(sql, { ...rights, id, prefix, hash: keyHashOf(text, keys) });
  if (stored === undefined) {
    throw unprocessable(`You have ${MAX_KEYS} keys, which is the maximum: revoke one first.`);
  }
  return { ...apiKey(stored), secret: text };
}
