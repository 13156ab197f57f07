import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { PartnerCursor } from '../../../db/read/partners/list.ts';
import type { SecretKeys } from '../../../secrets/keys.ts';
import { invalidField } from '../../errors.ts';
import { cursorAmount, ListPage, type PageInput } from '../../input/cursor.ts';

const position = {
  key: cursorAmount,
  tie: z.string().regex(/^[0-9a-f]{64}$/),
  keyId: z.string().regex(/^[0-9a-f]{8}$/),
};

/** A page of partners. */
export interface PartnerPage {
  /** Position at which the previous page ended; `undefined` for the first page. */
  readonly after: PartnerCursor | undefined;
  readonly limit: number;
  /** Key for the hash of an account in a cursor, which orders partners of equal rank and hides their accounts. */
  readonly secret: string;
  /** Cursor of the page that follows a position; `null` without one. */
  readonly cursor: (next: PartnerCursor | null) => string | null;
}

/**
 * Page that a request asks for. All pages of a list use the key of its first page, even if the secret of the
 * deployment changes meanwhile, because another key means another order.
 * @throws {HttpError} VALIDATION_FAILED naming `cursor` if its key is no longer accepted.
 */
export function openPartnerPage(
  keys: SecretKeys,
  method: 'partners.list' | 'campaigns.distributors',
  input: PageInput,
): PartnerPage {
  const page = new ListPage(method, input, position);
  const { after, limit } = page;
  const secrets = keys.accepted('partner cursor').map((key) => Buffer.from(key).toString('hex'));
  const secret = after ? secrets.find((one) => keyIdOf(one) === after.keyId) : secrets[0];
  if (secret === undefined) {
    throw invalidField('cursor', 'is too old: start again without a cursor');
  }
  const keyId = keyIdOf(secret);
  return {
    after: after && { key: after.key, tie: after.tie },
    limit,
    secret,
    cursor: (next) => page.cursor(next && { ...next, keyId }),
  };
}

/** Identifier of a key that reveals nothing about it. */
function keyIdOf(secret: string): string {
  return createHash('sha256').update(`tributary key id ${secret}`).digest('hex').slice(0, 8);
}
