import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import type { KeyPurpose, SecretKeys } from './keys.ts';

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts a text for the database under the newest key of a purpose: nonce, tag and AES-256-GCM.
 * @param boundTo name of the row that it belongs to: copied into another row, it does not open.
 */
export function seal(
  text: string,
  keys: SecretKeys,
  purpose: KeyPurpose,
  boundTo = '',
): Uint8Array {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, keys.current(purpose), nonce);
  cipher.setAAD(Buffer.from(boundTo));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Name of the newest key of a purpose, 16 hex digits: it distinguishes keys, and reveals nothing of them. */
export function keyMark(keys: SecretKeys, purpose: KeyPurpose): string {
  return createHmac('sha256', keys.current(purpose)).update('mark').digest('hex').slice(0, 16);
}

/** A sealed text that was opened. */
export interface Unsealed {
  readonly text: string;
  /** False if it was sealed under an older key: seal it again before that key is no longer accepted. */
  readonly isCurrent: boolean;
}

/**
 * Opens a sealed text with any key that is accepted.
 * @param boundTo name of the row that it was sealed for.
 * @returns `undefined` if none fits: its key was replaced too long ago, or the text or its row was changed.
 */
export function unseal(
  sealed: Uint8Array,
  keys: SecretKeys,
  purpose: KeyPurpose,
  boundTo = '',
): Unsealed | undefined {
  for (const [index, key] of keys.accepted(purpose).entries()) {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES));
    decipher.setAAD(Buffer.from(boundTo));
    decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
    try {
      const opened = [decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return { text: Buffer.concat(opened).toString('utf8'), isCurrent: index === 0 };
    } catch {
      // Another key sealed it.
    }
  }
  return undefined;
}
