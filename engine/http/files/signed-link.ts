import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';

/** What a link opens: each purpose has its own signatures, and none opens what another does. */
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
 * HMAC-SHA-256 under the secret of the deployment, which nothing stores.
 *
 * @example
 * `${publicUrl}/reports/${signLink(secret, { purpose: 'report', payload: [id], expiresAt })}`
 */
export function signLink(secret: string, { purpose, payload, expiresAt }: SignedLink): string {
  const body = Buffer.from(JSON.stringify([expiresAt, payload])).toString('base64url');
  return `${body}.${signatureOf(secret, purpose, body).toString('base64url')}`;
}

/**
 * Reads a token back.
 * @param now unix milliseconds.
 * @returns its payload; `undefined` where it is forged, of another purpose, or out of time.
 */
export function readSignedLink(
  secret: string,
  purpose: LinkPurpose,
  token: string,
  now: number,
): readonly string[] | undefined {
  if (token.length > TOKEN_CHARACTERS_MOST) return undefined;
  const [body = '', signature = '', ...rest] = token.split('.');
  const given = Buffer.from(signature, 'base64url');
  const right = signatureOf(secret, purpose, body);
  if (rest.length > 0 || given.length !== right.length) return undefined;
  if (!timingSafeEqual(given, right)) return undefined;
  // Signed here, so it is JSON.
  const [expiresAt, payload] = Body.parse(
    JSON.parse(Buffer.from(body, 'base64url').toString('utf8')),
  );
  return now < expiresAt ? payload : undefined;
}

function signatureOf(secret: string, purpose: LinkPurpose, body: string): Buffer {
  return createHmac('sha256', secret).update(`tributary link ${purpose} ${body}`).digest();
}
