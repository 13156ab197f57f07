import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PartnerCursor } from '../../../db/read/partners/list.ts';
import type { SecretKeys } from '../../../secrets/keys.ts';
import { invalidField } from '../../errors.ts';
import { type CursorScope, cursorAmount, decodeCursor, encodeCursor } from '../../input/cursor.ts';

const Position = z.tuple([
  cursorAmount,
  z.string().regex(/^[0-9a-f]{64}$/),
  z.string().regex(/^[0-9a-f]{8}$/),
]);

/** Start of a page of partners, and the key that orders partners of equal rank. */
export interface PartnerPageStart {
  /** Position at which the previous page ended; `undefined` for the first page. */
  readonly after: PartnerCursor | undefined;
  /** Key for the hash of an account in a cursor, so that a cursor does not reveal hidden accounts. */
  readonly secret: string;
}

/**
 * Position that a cursor names. All pages of a list use the key of its first page, even if the secret of the
 * deployment changes meanwhile, because another key means another order.
 * @throws {HttpError} VALIDATION_FAILED naming `cursor` if its key is no longer accepted.
 */
export function partnerPageStart(keys: SecretKeys, scope: CursorScope): PartnerPageStart {
  const position = decodeCursor(scope, Position);
  const secrets = keys.accepted('partner cursor').map((key) => Buffer.from(key).toString('hex'));
  const secret = position ? secrets.find((one) => keyIdOf(one) === position[2]) : secrets[0];
  if (secret === undefined) {
    throw invalidField('cursor', 'is too old: start again without a cursor');
  }
  return { secret, after: position && { key: position[0], tie: position[1] } };
}

export function partnerCursor(
  scope: CursorScope,
  { secret }: PartnerPageStart,
  next: PartnerCursor | null,
): string | null {
  return next && encodeCursor(scope, [next.key, next.tie, keyIdOf(secret)]);
}

/** Identifier of a key that reveals nothing about it. */
function keyIdOf(secret: string): string {
  return createHash('sha256').update(`tributary key id ${secret}`).digest('hex').slice(0, 8);
}
