import { createHash } from 'node:crypto';
import { z } from 'zod';
import { type HttpError, invalidField } from '../errors.ts';

/**
 * The list that a cursor belongs to: a method, and the fields of the request that select its items. It
 * holds no secret, and a forged cursor only names a position in a list that anybody may read. So the
 * scope is hashed and not signed.
 */
export interface CursorScope {
  readonly method: string;
  /** Input of the request. The cursor and `limit` may differ from page to page. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Field of the input that has the cursor; default `cursor`. */
  readonly field?: 'cursor' | 'after';
}

const Payload = z.tuple([z.string(), z.array(z.string())]);

/** Opaque cursor for the position at which a page ended. It is valid for the same filters only. */
export function encodeCursor(scope: CursorScope, position: readonly string[]): string {
  return Buffer.from(JSON.stringify([scopeHash(scope), position])).toString('base64url');
}

/**
 * Position that the `cursor` of the request names; `undefined` if it has none.
 * @param shape of the position, with its bounds: its values go into SQL as they are.
 * @throws {HttpError} VALIDATION_FAILED naming the field if it is malformed or belongs to another list.
 */
export function decodeCursor<T>(scope: CursorScope, shape: z.ZodType<T>): T | undefined {
  const { field = 'cursor' } = scope;
  const cursor = scope.input[field];
  if (cursor === undefined) return undefined;
  const payload = Payload.safeParse(typeof cursor === 'string' ? readJson(cursor) : undefined);
  if (!payload.success) throw notACursor(field);
  const [hash, values] = payload.data;
  if (hash !== scopeHash(scope)) {
    const message = 'belongs to another list: start without a cursor when filters change';
    throw invalidField(field, message);
  }
  const position = shape.safeParse(values);
  if (!position.success) throw notACursor(field);
  return position.data;
}

/** Items of a page, and the cursor of the page after it; `null` on the last page. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

/**
 * Page of the rows that a list read.
 * @param found rows in order: one more than `limit` if there are more.
 * @param positionOf position of a row in the list, for the cursor.
 */
export function pageOf<R>(
  found: readonly R[],
  limit: number,
  scope: CursorScope,
  positionOf: (row: R) => readonly string[],
): Page<R> {
  const items = found.slice(0, limit);
  const last = found.length > limit ? items.at(-1) : undefined;
  return { items, nextCursor: last === undefined ? null : encodeCursor(scope, positionOf(last)) };
}

/** Ledger id in a cursor, within the range of its column. */
export const cursorId = z
  .string()
  .refine((id) => /^(?:0|[1-9][0-9]{0,18})$/.test(id) && BigInt(id) < 2n ** 63n);

/** Id that the service assigned, in a cursor. */
export const cursorOwnId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/);

/** Position in a cursor among the rows of one event. */
export const cursorOrdinal = z.string().regex(/^(?:0|[1-9][0-9]{0,3})$/);

/** Amount in a cursor, base units. A total may have more digits than one amount, and may be negative. */
export const cursorAmount = z.string().regex(/^-?(?:0|[1-9][0-9]{0,199})$/);

/** Time in a cursor: microseconds since 1970, before the year 10000. */
export const cursorMicroseconds = cursorId.refine(
  (time) => BigInt(time) < 253_402_300_800_000_000n,
);

/** Text in a cursor that a text column can hold. */
export const cursorText = z.string().regex(/^[^\0\p{Surrogate}]{0,200}$/u);

function scopeHash({ method, input, field = 'cursor' }: CursorScope): string {
  const filters = Object.entries(input)
    .filter(([name, value]) => name !== field && name !== 'limit' && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([method, filters]);
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}

function readJson(cursor: string): unknown {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor)) return undefined;
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

function notACursor(field: string): HttpError {
  return invalidField(field, 'is not a cursor of this service');
}
