import { sealedSecrets, storeResealed } from '../../db/commerce/webhook-endpoints.ts';
import type { Pool } from '../../db/connection.ts';
import type { SecretKeys } from '../../secrets/keys.ts';
import { seal, unseal } from '../../secrets/seal.ts';

/** Endpoints that one statement reads. */
const PAGE = 500;

/** Seals secrets of endpoints again that were sealed under an older secret of the deployment. */
export async function resealSecrets(pool: Pool, keys: SecretKeys): Promise<void> {
  let after = '';
  for (;;) {
    const page = await sealedSecrets(pool, after, PAGE);
    for (const { id, secret, oldSecret } of page) {
      const opened = [secret, oldSecret].map((one) => one && unseal(one, keys, 'webhook secret'));
      if (opened.every((one) => one?.isCurrent !== false)) continue;
      const [newest, old] = opened.map((one) => one && seal(one.text, keys, 'webhook secret'));
      if (newest)
        await storeResealed(pool, { id, secret }, { secret: newest, oldSecret: old ?? null });
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}
