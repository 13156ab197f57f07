import type { Logger } from 'pino';
import { readSecrets, SECRET_ACTIVATION_SECONDS } from '../db/commerce/secrets.ts';
import type { Pool } from '../db/connection.ts';
import type { Env } from '../env.ts';
import { deriveKeys, type KeyPurpose, type SecretKeys } from '../secrets/keys.ts';
import { openPepper } from './pepper.ts';

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

/** Milliseconds between two checks whether the pepper must be sealed under a newer secret. */
const RESEAL_MS = 600_000;

/**
 * Opens the keys of a deployment: from `SECRET`, or from the secrets in the database. That of API keys is the
 * stored pepper, which outlives every change of the secret, and that of pseudonyms is derived from it.
 */
export async function openKeys(
  { secret, secretPrevious }: Pick<Env, 'secret' | 'secretPrevious'>,
  pool: Pool,
  logger: Pick<Logger, 'warn'>,
): Promise<OpenKeys> {
  const stored = secret === undefined ? await openStoredKeys(pool, logger) : undefined;
  const keys = stored ?? deriveKeys([secret, secretPrevious].flatMap((one) => one ?? []));
  const pepper = await openPepper(pool, keys);
  if (pepper === undefined) {
    logger.warn('no accepted secret opens the pepper of the API keys: all keys are refused');
  }
  const timer = setInterval(() => {
    openPepper(pool, keys).catch((err: unknown) => {
      logger.warn({ err }, 'cannot seal the pepper of the API keys');
    });
  }, RESEAL_MS);
  timer.unref();
  const lasting = pepper && deriveKeys([pepper]);
  const own = (purpose: KeyPurpose) => {
    if (purpose === 'API key') return pepper;
    return purpose === 'pseudonym' ? lasting?.current(purpose) : undefined;
  };
  return {
    current: (purpose) => own(purpose) ?? keys.current(purpose),
    accepted: (purpose) => {
      const key = own(purpose);
      return key === undefined ? keys.accepted(purpose) : [key];
    },
    stop: () => {
      clearInterval(timer);
      stored?.stop();
    },
  };
}
