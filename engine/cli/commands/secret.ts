import {
  readSecrets,
  rotateSecret,
  SECRET_ACTIVATION_SECONDS,
  SECRET_OVERLAP_SECONDS,
} from '../../db/commerce/secrets.ts';
import type { Pool } from '../../db/connection.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { resealDetails } from '../../jobs/reseal-details.ts';
import { resealSecrets } from '../../jobs/webhooks/reseal.ts';
import { deriveKeys } from '../../secrets/keys.ts';
import { openDatabase } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';
import { out } from '../output.ts';
import { openPepper } from '../pepper.ts';

/**
 * Runs `tributary secret rotate`: stores a new secret for links and cursors, which running APIs read
 * within a minute. Links of the previous secret stay valid for a day, unless it is to be forgotten.
 * @throws {CommandError} if `SECRET` is set: then it must be changed in the environment.
 */
export async function runSecretRotate(
  env: Env,
  { forgetPrevious }: { readonly forgetPrevious: boolean },
): Promise<void> {
  if (env.secret !== undefined) {
    throw new CommandError(
      'SECRET is set: set it to a new value and SECRET_PREVIOUS to the old one, and restart the APIs.',
    );
  }
  const pool = openDatabase(await findDeployment(env), 'secret', { max: 1 });
  try {
    await migrate(pool);
    const before = await readSecrets(pool);
    await rotateSecret(pool, forgetPrevious);
    await sealAgain(pool, before);
  } finally {
    await pool.end();
  }
  out.print(
    forgetPrevious
      ? `A new secret is stored and all others are deleted: older links expire within ${SECRET_ACTIVATION_SECONDS} s.`
      : `A new secret is stored. It signs after ${SECRET_ACTIVATION_SECONDS} s; links of the previous one stay valid for ${SECRET_OVERLAP_SECONDS / 3_600} h.`,
  );
}

/** Seals stored secrets under the new one: nothing opens them once the others are deleted. */
async function sealAgain(pool: Pool, before: readonly Uint8Array[]): Promise<void> {
  const known = new Set(before.map((secret) => Buffer.from(secret).toString('hex')));
  const fresh = (await readSecrets(pool)).filter(
    (secret) => !known.has(Buffer.from(secret).toString('hex')),
  );
  const keys = deriveKeys([...fresh, ...before]);
  await openPepper(pool, keys);
  await resealSecrets(pool, keys);
  await resealDetails(pool, keys);
}
