import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { LiveName } from '../../contract/types.ts';
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
  if (isFirstPage(scope)) return undefined;
  const { field = 'cursor' } = scope;
  const cursor = scope.input[field];
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

/** True if the request names no cursor. */
function isFirstPage({ input, field = 'cursor' }: CursorScope): boolean {
  return input[field] === undefined;
}

/** Items on a page if the request names no limit. */
export const PAGE_LIMIT = 20;

/** Items of a page, and the cursor of the page after it; `null` on the last page. */
export interface Page<T> {
  readonly items: T[];
  readonly nextCursor: string | null;
}

/** Renders the items of a page. */
export function mapItems<R, T>({ items, nextCursor }: Page<R>, render: (row: R) => T): Page<T> {
  return { items: items.map(render), nextCursor };
}

/** Fields of a position in a list, in the order in which its cursors have them, with their bounds. */
type PositionShape = Readonly<Record<string, z.ZodType<unknown, string>>>;

/** Where a page ends: values of the fields of a position. */
type PageEnd<S extends PositionShape> = { readonly [K in keyof S]: string | number | bigint };

/** Input of a list, and the account that it is for, if a cursor of one account must not be valid for another. */
export type PageInput = CursorScope['input'] & { readonly limit?: number | undefined };

/** The page of a list that a request asks for. */
export class ListPage<S extends PositionShape> {
  /** Position at which the previous page ended; `undefined` for the first page. */
  readonly after: { readonly [K in keyof S]: z.output<S[K]> } | undefined;
  /** Largest number of items on the page. */
  readonly limit: number;
  readonly #scope: CursorScope;
  readonly #fields: readonly string[];

  /**
   * @param method name of the list.
   * @param position fields that order the list: its handler gets them by name, and they go into SQL as they are.
   * @throws {HttpError} VALIDATION_FAILED if the cursor is malformed or belongs to another list.
   */
  constructor(method: LiveName, input: PageInput, position: S) {
    this.#scope = { method, input };
    this.#fields = Object.keys(position);
    this.after = isFirstPage(this.#scope)
      ? undefined
      : (decodeCursor(this.#scope, valuesOf(position)) as ListPage<S>['after']);
    this.limit = input.limit ?? PAGE_LIMIT;
  }

  /** Rows to read: those after the position, and one more than the page has, which shows if another page follows. */
  get query(): { readonly after: ListPage<S>['after']; readonly limit: number } {
    return { after: this.after, limit: this.limit + 1 };
  }

  /**
   * The page of the rows that were read for `query`.
   * @param endOf position of a row; by default its fields of the same names.
   */
  of<R extends PageEnd<S>>(found: readonly R[]): Page<R>;
  of<R>(found: readonly R[], endOf: (row: R) => PageEnd<S>): Page<R>;
  of<R extends PageEnd<S>>(found: readonly R[], endOf: (row: R) => PageEnd<S> = (row) => row) {
    const items = found.slice(0, this.limit);
    const last = found.length > this.limit ? items.at(-1) : undefined;
    return { items, nextCursor: this.cursor(last && endOf(last)) };
  }

  /** Cursor of the page that follows a position; `null` without one. */
  cursor(end: PageEnd<S> | null | undefined): string | null {
    if (end == null) return null;
    const values = new Map(Object.entries(end));
    return encodeCursor(
      this.#scope,
      this.#fields.map((field) => String(values.get(field))),
    );
  }
}

/** Schema of the values of a cursor, made for requests with a cursor alone: it takes longer than to read one. */
function valuesOf(position: PositionShape) {
  const fields = Object.keys(position);
  // A value without a field has the name of none, which the strict object refuses.
  const toObject = (values: readonly string[]) =>
    Object.fromEntries(values.map((value, i) => [fields[i] ?? '', value]));
  return z.preprocess(toObject, z.strictObject(position));
}

/** Ledger id in a cursor, within the range of its column. */
export const cursorId = z
  .string()
  .refine((id) => /^(?:0|[1-9][0-9]{0,18})$/.test(id) && BigInt(id) < 2n ** 63n);

/** Id that the service assigned, in a cursor. */
export const cursorOwnId = z.string().regex(/^[A-Za-z0-9_-]{1,100}$/);

/** Level of a sale in a cursor. */
export const cursorLevel = z.string().regex(/^[1-9]$/);

/** Address in a cursor, in lower case. */
export const cursorAddress = z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]{40}$/)]);

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
