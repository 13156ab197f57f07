import { replaceSealed, type SealedCursor, sealedByOthers } from '../db/commerce/buyer-details.ts';
import type { Pool } from '../db/connection.ts';
import { markOfDetails, openDetails, sealDetails } from '../secrets/buyer-details.ts';
import type { SecretKeys } from '../secrets/keys.ts';
import type { Chore } from './chores.ts';

/** Rows that one statement reads. */
const PAGE = 500;

/** Encrypts details of buyers again that an older secret of the deployment encrypted. */
export async function resealDetails(pool: Pool, keys: SecretKeys): Promise<void> {
  const current = markOfDetails(keys);
  let after: SealedCursor = { sealedBy: '', intentId: '' };
  for (;;) {
    const page = await sealedByOthers(pool, current, after, PAGE);
    for (const row of page) {
      const details = openDetails(row, keys);
      // Without their key they cannot be read: they are deleted by age.
      if (details !== null) await replaceSealed(pool, row, sealDetails(details, keys, row));
    }
    const last = page.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

/** A chore that encrypts details of buyers under the newest secret. @param withKeys lends the keys to a step. */
export function resealDetailsChore(
  withKeys: (use: (keys: SecretKeys) => Promise<void>) => Promise<void>,
): Chore {
  return {
    everySeconds: 3_600,
    run: async ({ pool }) => await withKeys((keys) => resealDetails(pool, keys)),
  };
}
