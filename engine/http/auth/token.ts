import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Random bytes of a session's token: 256 bits. */
const TOKEN_BYTES = 32;

/** New secret token of a session, for its cookie: 43 characters of base64url. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** SHA-256 of a token. Only the hash is stored, so a reader of the database cannot open a session. */
export function tokenHashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** New public id: 22 characters of base64url. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** New nonce for an EIP-4361 message: 128 bits as 32 hex digits. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/**
 * CSRF token of a session: an HMAC under the session's own token. So it is bound to the session, needs no
 * secret of the deployment, and is stored nowhere.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('tributary csrf').digest('base64url');
}

/** True if two texts are equal. The time that it takes does not depend on where they differ. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
