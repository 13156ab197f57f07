import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PartnerPlace } from '../db/read/list-partners.ts';
import { type CursorScope, cursorAmount, encodeCursor, placeOf } from './cursor.ts';
import { ValidationError } from './errors.ts';
import type { SecretKeys } from './secret-keys.ts';

const Place = z.tuple([
  cursorAmount,
  z.string().regex(/^[0-9a-f]{64}$/),
  z.string().regex(/^[0-9a-f]{8}$/),
]);

/** Where a page of partners begins, and the key that orders those of equal rank. */
export interface PartnerPageStart {
  /** Where the page before this one ended; `undefined` for the first page. */
  readonly after: PartnerPlace | undefined;
  /** Keys what a cursor says of an account, so that it names nobody who is hidden. */
  readonly secret: string;
}

/**
 * The place that a cursor names. A list is paged to its end by the key that its first page used,
 * though the secret of the deployment may change meanwhile: another key is another order.
 * @throws {ValidationError} naming `cursor` if its key is not accepted any more.
 */
export function partnerPageStart(
  keys: SecretKeys,
  { method, input }: CursorScope,
): PartnerPageStart {
  const cursor = typeof input.cursor === 'string' ? input.cursor : undefined;
  const place = placeOf(method, { ...input, cursor }, Place);
  const secrets = keys.accepted('partner cursor').map((key) => Buffer.from(key).toString('hex'));
  const secret = place ? secrets.find((one) => keyIdOf(one) === place[2]) : secrets[0];
  if (secret === undefined) {
    throw new ValidationError([{ path: 'cursor', message: 'is too old: begin again without it' }]);
  }
  return { secret, after: place && { key: place[0], tie: place[1] } };
}

export function partnerCursor(
  scope: CursorScope,
  { secret }: PartnerPageStart,
  next: PartnerPlace | null,
): string | null {
  return next && encodeCursor(scope, [next.key, next.tie, keyIdOf(secret)]);
}

/** Tells keys apart, and says nothing about them. */
function keyIdOf(secret: string): string {
  return createHash('sha256').update(`tributary key id ${secret}`).digest('hex').slice(0, 8);
}
