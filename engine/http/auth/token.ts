import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Bytes of randomness in a session's token: 256 bits. */
const TOKEN_BYTES = 32;

/** The secret that a session's cookie carries: 43 letters of base64url. */
export function newToken(): string {
  return randomBytes(TOKEN_BYTES).toString('base64url');
}

/** What is kept of a token: sha-256, so that whoever reads the database can open no session. */
export function tokenHashOf(token: string): Uint8Array {
  return createHash('sha256').update(token).digest();
}

/** A public handle: 22 letters of base64url. */
export function newId(): string {
  return randomBytes(16).toString('base64url');
}

/** A nonce for a message (EIP-4361: 8 letters or digits at least): 32, of 128 bits. */
export function newNonce(): string {
  return randomBytes(16).toString('hex');
}

/**
 * The CSRF token of a session: an HMAC under the session's own token. So it is bound to the session,
 * needs no secret of the deployment, and stands nowhere.
 */
export function csrfTokenOf(token: string): string {
  return createHmac('sha256', token).update('tributary csrf').digest('base64url');
}

/** Whether two texts are the same, in a time that does not tell where they differ. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
