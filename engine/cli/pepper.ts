import { randomBytes } from 'node:crypto';
import { keepPepper, replacePepper } from '../db/commerce/pepper.ts';
import type { Pool } from '../db/connection.ts';
import type { SecretKeys } from '../secrets/keys.ts';
import { seal, unseal } from '../secrets/seal.ts';

const PEPPER_BYTES = 32;

/**
 * The pepper under which API keys are hashed. It stays the same when the secret of the deployment changes,
 * because a hash cannot be made again without its key. It is stored sealed under that secret, and sealed again
 * under a newer one. The first call makes it.
 * @returns `undefined` if no accepted secret opens it.
 */
export async function openPepper(pool: Pool, keys: SecretKeys): Promise<Uint8Array | undefined> {
  const fresh = randomBytes(PEPPER_BYTES).toString('base64');
  const sealed = await keepPepper(pool, seal(fresh, keys, 'pepper'));
  const opened = unseal(sealed, keys, 'pepper');
  if (opened === undefined) return undefined;
  if (!opened.isCurrent) {
    await replacePepper(pool, sealed, seal(opened.text, keys, 'pepper'));
  }
  return Buffer.from(opened.text, 'base64');
}
