import type { Logger } from 'pino';
import { readSecrets, SECRET_ACTIVATION_SECONDS } from '../db/commerce/secrets.ts';
import type { Pool } from '../db/connection.ts';
import type { Env } from '../env.ts';
import { deriveKeys, type SecretKeys } from '../secrets/keys.ts';

/** Milliseconds between two reads: a new secret is read several times before it signs. */
const READ_MS = (SECRET_ACTIVATION_SECONDS * 1_000) / 4;

/** Keys that follow the secrets in the database until they are stopped. */
export interface StoredKeys extends SecretKeys {
  /** Reads the secrets again now. */
  refresh(): Promise<void>;
  stop(): void;
}

/**
 * Opens the keys of a deployment without `SECRET`, derived from the secrets in the database. The first
 * start creates one.
 */
export async function openStoredKeys(
  pool: Pool,
  logger: Pick<Logger, 'warn'>,
): Promise<StoredKeys> {
  let keys = deriveKeys(await readSecrets(pool));
  const refresh = async () => {
    keys = deriveKeys(await readSecrets(pool));
  };
  const timer = setInterval(() => {
    refresh().catch((err: unknown) => {
      logger.warn({ err }, 'cannot read the secrets: the known ones stay in use');
    });
  }, READ_MS);
  timer.unref();
  return {
    current: (purpose) => keys.current(purpose),
    accepted: (purpose) => keys.accepted(purpose),
    refresh,
    stop: () => clearInterval(timer),
  };
}

/** Keys that are used until they are stopped. */
export interface OpenKeys extends SecretKeys {
  stop(): void;
}

/** Opens the keys of a deployment: from `SECRET`, or from the secrets in the database. */
export async function openKeys(
  { secret, secretPrevious }: Pick<Env, 'secret' | 'secretPrevious'>,
  pool: Pool,
  logger: Pick<Logger, 'warn'>,
): Promise<OpenKeys> {
  if (secret === undefined) return await openStoredKeys(pool, logger);
  const keys = deriveKeys([secret, secretPrevious].flatMap((one) => one ?? []));
  return { ...keys, stop: () => {} };
}
