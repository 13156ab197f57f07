import {
  rotateSecret,
  SECRET_ACTIVATION_SECONDS,
  SECRET_OVERLAP_SECONDS,
} from '../../db/commerce/secrets.ts';
import { migrate } from '../../db/migrate.ts';
import type { Env } from '../../env.ts';
import { openDatabase } from '../connect.ts';
import { CommandError } from '../exit-codes.ts';
import { findDeployment } from '../find-deployment.ts';

/**
 * `tributary secret rotate`: makes a new secret for links and cursors, which the APIs that run read
 * within a minute. Links of the one before it stay good for a day, unless it is to be forgotten.
 * @throws {CommandError} if the environment names the secret: then it is changed there.
 */
export async function runSecretRotate(
  env: Env,
  { forgetPrevious }: { readonly forgetPrevious: boolean },
): Promise<void> {
  if (env.secret !== undefined) {
    throw new CommandError(
      'SECRET is set: give it a new value, and the old value to SECRET_PREVIOUS, and restart the APIs.',
    );
  }
  const pool = openDatabase(await findDeployment(env), 'secret', { max: 1 });
  try {
    await migrate(pool);
    await rotateSecret(pool, forgetPrevious);
  } finally {
    await pool.end();
  }
  console.log(
    forgetPrevious
      ? `A new secret is stored, and all others are forgotten: older links end within ${SECRET_ACTIVATION_SECONDS} s.`
      : `A new secret is stored. It signs after ${SECRET_ACTIVATION_SECONDS} s; links of the one before it stay good for ${SECRET_OVERLAP_SECONDS / 3_600} h.`,
  );
}
