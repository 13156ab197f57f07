import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretKeys } from '../../secrets/keys.ts';

/** Purpose of a signed link. Each purpose has its own key, so no link works for another purpose. */
export type LinkPurpose = 'report' | 'fulfillment' | 'upload';

/** A link that this service signs. */
export interface SignedLink {
  readonly purpose: LinkPurpose;
  /** Names what the link opens, and for whom. It is signed, not encrypted. */
  readonly payload: readonly string[];
  /** Unix milliseconds at which the link expires. */
  readonly expiresAt: number;
}

const Body = z.tuple([z.int().min(0), z.array(z.string())]);

/** Characters of the longest token that is checked. */
const MAX_TOKEN_CHARACTERS = 2_000;

/**
 * Token of a link, for one segment of a path: letters, digits, `_`, `-` and a dot. It is signed by
 * HMAC-SHA-256 with the key of its purpose.
 *
 * @example
 * `${publicUrl}/reports/${signLink(keys, { purpose: 'report', payload: [id], expiresAt })}`
 */
export function signLink(keys: SecretKeys, { purpose, payload, expiresAt }: SignedLink): string {
  const body = Buffer.from(JSON.stringify([expiresAt, payload])).toString('base64url');
  const signature = signatureOf(keys.current(`link ${purpose}`), body);
  return `${body}.${signature.toString('base64url')}`;
}

/**
 * Checks a token and returns its payload. Tokens of a replaced secret are valid while it is accepted.
 * @param now unix milliseconds.
 * @returns the payload; `undefined` if the token is forged, of another purpose, or expired.
 */
export function readSignedLink(
  keys: SecretKeys,
  purpose: LinkPurpose,
  token: string,
  now: number,
): readonly string[] | undefined {
  if (token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const [body = '', signature = '', ...rest] = token.split('.');
  const received = Buffer.from(signature, 'base64url');
  const signed = keys.accepted(`link ${purpose}`).some((key) => {
    const right = signatureOf(key, body);
    return received.length === right.length && timingSafeEqual(received, right);
  });
  if (rest.length > 0 || !signed) return undefined;
  // Signed here, so it is JSON.
  const [expiresAt, payload] = Body.parse(
    JSON.parse(Buffer.from(body, 'base64url').toString('utf8')),
  );
  return now < expiresAt ? payload : undefined;
}

function signatureOf(key: Uint8Array, body: string): Buffer {
  return createHmac('sha256', key).update(body).digest();
}
