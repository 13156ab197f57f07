import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { SecretKeys } from '../secret-keys.ts';

/** What a link opens: each purpose has its own key, and no link opens what another one does. */
export type LinkPurpose = 'report' | 'fulfillment';

/** A link that this service signs. */
export interface SignedLink {
  readonly purpose: LinkPurpose;
  /** What it opens, and for whom: whoever reads the link can read it too. */
  readonly payload: readonly string[];
  /** Unix milliseconds from which on it opens nothing. */
  readonly expiresAt: number;
}

const Body = z.tuple([z.int().min(0), z.array(z.string())]);

/** Characters of a token that are looked at. */
const TOKEN_CHARACTERS_MOST = 2_000;

/**
 * The token of a link, for one segment of a path: letters, digits, `_`, `-` and a dot. It is an
 * HMAC-SHA-256 under the key of its purpose.
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
 * Reads a token back. A token that a replaced secret signed is read as long as that is accepted.
 * @param now unix milliseconds.
 * @returns its payload; `undefined` if it is forged, of another purpose, or out of time.
 */
export function readSignedLink(
  keys: SecretKeys,
  purpose: LinkPurpose,
  token: string,
  now: number,
): readonly string[] | undefined {
  if (token.length > TOKEN_CHARACTERS_MOST) return undefined;
  const [body = '', signature = '', ...rest] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const signed = keys.accepted(`link ${purpose}`).some((key) => {
    const right = signatureOf(key, body);
    return given.length === right.length && timingSafeEqual(given, right);
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
