import { hkdfSync } from 'node:crypto';

/** Purpose of a key. A key of one purpose proves nothing for another. */
export type KeyPurpose =
  | 'link report'
  | 'link fulfillment'
  | 'link upload'
  | 'partner cursor'
  | 'rate limit'
  | 'API key'
  | 'webhook secret'
  | 'mail token'
  | 'buyer details'
  | 'pseudonym'
  | 'backup'
  | 'pepper';

/** Keys of a deployment, derived from its secrets. */
export interface SecretKeys {
  /** Key that signs, 32 bytes. */
  current(purpose: KeyPurpose): Uint8Array;
  /** Keys that are accepted, 32 bytes each: the signing key, and those that it replaced. */
  accepted(purpose: KeyPurpose): readonly Uint8Array[];
}

const KEY_BYTES = 32;

/**
 * Derives one key for each purpose and secret by HKDF-SHA-256 (RFC 5869).
 * @param secrets at least one: the first signs, and all are accepted.
 */
export function deriveKeys(secrets: readonly (string | Uint8Array)[]): SecretKeys {
  const derived = new Map<KeyPurpose, readonly Uint8Array[]>();
  const accepted = (purpose: KeyPurpose) => {
    const keys = derived.get(purpose) ?? secrets.map((secret) => deriveKey(secret, purpose));
    derived.set(purpose, keys);
    return keys;
  };
  return {
    accepted,
    current(purpose) {
      const [key] = accepted(purpose);
      if (key === undefined) throw new Error('There is no secret to derive keys from.');
      return key;
    },
  };
}

function deriveKey(secret: string | Uint8Array, purpose: KeyPurpose): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `tributary ${purpose}`, KEY_BYTES));
}
