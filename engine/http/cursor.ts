import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ValidationError } from './errors.ts';

/**
 * What a cursor is bound to: a method and the fields that chose the list. It says nothing secret,
 * and a forged one names a place in a list that anybody may read; so it is hashed and not signed.
 */
export interface CursorScope {
  readonly method: string;
  /** The input of the request; `cursor` and `limit` may differ from page to page. */
  readonly input: Readonly<Record<string, unknown>>;
}

const Payload = z.tuple([z.string(), z.array(z.string())]);

/** The place where a page ended, opaque, for use with the same filters. */
export function encodeCursor(scope: CursorScope, place: readonly string[]): string {
  return Buffer.from(JSON.stringify([scopeHash(scope), place])).toString('base64url');
}

/**
 * Reads a cursor back.
 * @param place the shape of the place, bounds included: its values go into SQL as they are.
 * @throws {ValidationError} naming `cursor` where it is malformed, or of another list.
 */
function decodeCursor<T>(scope: CursorScope, cursor: string, place: z.ZodType<T>): T {
  const payload = Payload.safeParse(readJson(cursor));
  if (!payload.success) throw invalid('is not a cursor of this service');
  const [hash, values] = payload.data;
  if (hash !== scopeHash(scope)) {
    throw invalid('belongs to another list: begin again without it when filters change');
  }
  const parsed = place.safeParse(values);
  if (!parsed.success) throw invalid('is not a cursor of this service');
  return parsed.data;
}

/** The cursor of the request, read, where there is one. */
export function placeOf<T>(
  method: string,
  input: Readonly<Record<string, unknown>> & { readonly cursor?: string | undefined },
  place: z.ZodType<T>,
): T | undefined {
  if (input.cursor === undefined) return undefined;
  return decodeCursor({ method, input }, input.cursor, place);
}

/** An id of the ledger inside of a cursor: fits its column. */
export const cursorId = z
  .string()
  .refine((id) => /^(?:0|[1-9][0-9]{0,18})$/.test(id) && BigInt(id) < 2n ** 63n);

/** An amount inside of a cursor: a total may have more digits than one amount, and may be below zero. */
export const cursorAmount = z.string().regex(/^-?(?:0|[1-9][0-9]{0,199})$/);

/** A time inside of a cursor: microseconds since 1970, before the year 10000. */
export const cursorMicroseconds = cursorId.refine(
  (time) => BigInt(time) < 253_402_300_800_000_000n,
);

/** A text inside of a cursor, as a column of text can hold it. */
export const cursorText = z.string().regex(/^[^\0\p{Surrogate}]{0,200}$/u);

function scopeHash({ method, input }: CursorScope): string {
  const filters = Object.entries(input)
    .filter(([name, value]) => name !== 'cursor' && name !== 'limit' && value !== undefined)
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

function invalid(message: string): ValidationError {
  return new ValidationError([{ path: 'cursor', message }]);
}
