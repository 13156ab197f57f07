import type { Address, Hex } from '../core/events.ts';
import type { Fragment, Sql } from './connection.ts';
import { Bytes, bytesOfHex } from './hex.ts';
import { toInteger } from './ids.ts';

/**
 * One declaration for each table or view: which columns a row has, how each is read and how it is
 * written. Row types, decoders, column lists, JSON kinds and rows to write follow from it, as the types
 * of events follow from the readers in `core/events.ts`.
 *
 * ```ts
 * const claim = rowCodec({
 *   campaignId: id,                       // column campaign_id
 *   amount,                               // column amount, a bigint
 *   record: { hash: hex.from('transaction_hash'), timestamp: seconds.from('block_timestamp') },
 * });
 * type Claim = View<typeof claim>;
 * const rows = await sql<StoredRow[]>`select ${claim.columns(sql, 'entry')} from ledger.entry`;
 * return rows.map(claim.decode);
 * ```
 */

/** A row as the driver returns it: int8 and numeric columns are text. */
export type StoredRow = Readonly<Record<string, unknown>>;

/** A row as a list of its columns. */
export type StoredList = readonly unknown[];

/** A value to write: amounts and ids are a bigint or decimal digits, never a floating-point number. */
export type StoredValue = string | number | bigint | boolean | null | object;

/**
 * How a column travels inside `json_build_object`: as `text` if it can exceed 53 bits, because JSON would
 * make a floating-point number of it; as `hex` if it stores bytes; otherwise as it `is`.
 */
export type JsonKind = 'text' | 'hex' | 'is';

/** Type of a column in PostgreSQL, for rows that a statement takes as lists (`unnest`). */
export type SqlType =
  | 'bigint'
  | 'numeric'
  | 'integer'
  | 'text'
  | 'bytea'
  | 'boolean'
  | 'timestamptz';

/** One column: its name and type, and how its value is read from the driver or from JSON. */
export interface Column<T> {
  /** `undefined` if the column is named like the field, in snake case. */
  readonly name: string | undefined;
  readonly kind: JsonKind;
  readonly sqlType: SqlType;
  readonly nullable: boolean;
  readonly read: (stored: never) => T;
  /** Copy of this column under another name. */
  from(name: string): Column<T>;
}

function column<T, S>(kind: JsonKind, sqlType: SqlType, read: (stored: S) => T): Column<T> {
  return columnOf<T>({ name: undefined, kind, sqlType, nullable: false, read });
}

function columnOf<T>(parts: Omit<Column<T>, 'from'>): Column<T> {
  return { ...parts, from: (name) => columnOf({ ...parts, name }) };
}

/** Reads a value that the driver returns in the form that rows have. */
function asStored<T>(stored: T): T {
  return stored;
}

/**
 * Reads a hash or address.
 * @throws {TypeError} for bytes that went through text or JSON as they are, `\\x…`, without `hexText`.
 */
function asHex<T extends string>(stored: T): T {
  if (stored.startsWith('\\')) throw new TypeError(`${stored} must be read by hexText`);
  return stored;
}

/** An id of the contract, as decimal digits. */
export const id = column('text', 'bigint', asStored<string>);
/** An amount in base units: `numeric` in the database, bigint here. */
export const amount = column('text', 'numeric', (stored: string) => BigInt(stored));
/** An `int8` column that the protocol limits to 2^53 − 1: a count, a block number, a sequence number. */
export const integer = column('text', 'bigint', toInteger);
/** A time in unix seconds. */
export const seconds = column('text', 'bigint', toInteger);
/** An `int4` or `int2` column, which the driver returns as a number. */
export const small = column('is', 'integer', asStored<number>);
export const text = column('is', 'text', asStored<string>);
export const flag = column('is', 'boolean', asStored<boolean>);
/** A hash in a column of text. */
export const hex = column('is', 'text', asHex<Hex>);
/** An address in a column of text. */
export const address = column('is', 'text', asHex<Address>);
/** A hash in a `bytea` column. */
export const byteHash = column('hex', 'bytea', asHex<Hex>);
/** An address in a `bytea` column. */
export const byteAddress = column('hex', 'bytea', asHex<Address>);
/** A secret or its hash in a `bytea` column. */
export const bytes = column('hex', 'bytea', bytesOfHex);
/** A time with a zone: a `Date` from the driver, a string inside JSON. */
export const date = column('is', 'timestamptz', (stored: Date | string) => new Date(stored));

/** A column whose type PostgreSQL does not know: one of several names, a list, or a JSON value. */
export function as<T>(): Column<T> {
  return column('is', 'text', asStored<T>);
}

/** A column that can be null. */
export function nullable<T>(inner: Column<T>): Column<T | null> {
  return columnOf<T | null>({ ...inner, nullable: true });
}

/** Fields of a row: columns, and groups of columns that are an object of their own. */
export interface Fields {
  readonly [field: string]: Column<unknown> | OptionalGroup<Fields> | Fields;
}

/** A group that is `null` if the first of its columns is null, as after a left join without a match. */
export interface OptionalGroup<F extends Fields> {
  readonly optional: F;
}

/** Declares a group of columns that is `null` as a whole if its first column is null. */
export function optional<const F extends Fields>(fields: F): OptionalGroup<F> {
  return { optional: fields };
}

/** The value that a declaration of fields decodes to. */
export type Decoded<F extends Fields> = {
  readonly [K in keyof F]: F[K] extends Column<infer T>
    ? T
    : F[K] extends OptionalGroup<infer G>
      ? Decoded<G> | null
      : F[K] extends Fields
        ? Decoded<F[K]>
        : never;
};

/** The type of a decoded row. */
export type View<C extends { readonly decode: (row: never) => unknown }> = ReturnType<C['decode']>;

/** Everything that follows from one declaration of a table or view. */
export interface RowCodec<F extends Fields> {
  readonly fields: F;
  /** Names of the columns, in the order of the declaration. */
  readonly names: readonly string[];
  /** For `jsonRows`: how each column goes into JSON. */
  readonly kinds: Readonly<Record<string, JsonKind>>;
  /** For `unnestSql`: the type of each column. */
  readonly types: Readonly<Record<string, SqlType>>;
  /** The columns for a `select`, of the table or alias named. */
  columns(sql: Sql, table: string): Fragment;
  /** @throws {TypeError} if the row lacks a column, or one is null that may not be. */
  readonly decode: (row: StoredRow) => Decoded<F>;
  /** The row to write, by column name. Fields that the declaration does not have are ignored. */
  readonly encode: (value: Decoded<F>) => WrittenRow;
  /** Writes the same row column by column, in the order of `names`. */
  readonly write: (to: ColumnWriter, value: Decoded<F>) => void;
}

/** Writes the columns of rows one after the other, each by the type that it has in PostgreSQL. */
export interface ColumnWriter {
  null(): void;
  flag(value: boolean): void;
  /** @param value decimal digits, or a number below 2^53. */
  integer(value: number | string): void;
  /** Base units. */
  amount(value: bigint): void;
  /** @param hex `0x…` for a `bytea` column. */
  bytes(hex: string): void;
  value(value: StoredValue): void;
  /** Ends a column that another one follows. */
  endColumn(): void;
  endRow(): void;
}

/** A row to write, by column name. */
export type WrittenRow = Record<string, StoredValue>;

interface Leaf {
  readonly name: string;
  readonly column: Column<unknown>;
  /** JavaScript after a decoded row that yields the column's value, such as `.record.hash`. */
  readonly member: string;
}

/** Declares a table or view once. */
export function rowCodec<const F extends Fields>(fields: F): RowCodec<F> {
  const leaves = leavesOf(fields);
  const names = leaves.map(({ name }) => name);
  return {
    fields,
    names,
    kinds: Object.fromEntries(leaves.map(({ name, column: { kind } }) => [name, kind])),
    types: Object.fromEntries(leaves.map(({ name, column: { sqlType } }) => [name, sqlType])),
    columns: (sql, table) => sql(names.map((name) => `${table}.${name}`)),
    // Every field was read by the reader of its own column.
    decode: compileDecoder(fields, (name) => `row.${name}`) as (row: StoredRow) => Decoded<F>,
    encode: encoderOf(leaves),
    write: writerOf(leaves),
  };
}

/**
 * Decoder of a row that came as a list, in the order of `names`: from `jsonList`.
 * @throws {TypeError} as `decode` does.
 */
export function listDecoder<const F extends Fields>({
  fields,
  names,
}: Pick<RowCodec<F>, 'fields' | 'names'>): (row: StoredList) => Decoded<F> {
  const decode = compileDecoder(fields, (name) => `row[${names.indexOf(name)}]`);
  return decode as (row: StoredList) => Decoded<F>;
}

function leavesOf(fields: Fields, group = ''): readonly Leaf[] {
  return Object.entries(fields).flatMap(([field, part]) => {
    const member = `${group}.${field}`;
    if (isColumn(part)) {
      const orNull = member.includes('?') ? ' ?? null' : '';
      return [{ name: nameOf(field, part), column: part, member: member + orNull }];
    }
    return isOptional(part) ? leavesOf(part.optional, `${member}?`) : leavesOf(part, member);
  });
}

/**
 * Compiles `(value) => ({ sale_id: value.saleId, … })`. Every settled sale is encoded: a loop over the fields
 * takes ten times as long, because its rows have no fixed shape. Columns of a group that is `null` become null.
 */
function encoderOf(leaves: readonly Leaf[]): (value: unknown) => WrittenRow {
  const columns = leaves.map(({ name, member, column: { sqlType } }) => {
    const value = sqlType === 'bytea' ? `bytes(value${member})` : `value${member}`;
    return `${JSON.stringify(name)}: ${value}`;
  });
  return new Function('bytes', `return (value) => ({ ${columns.join(', ')} });`)(bytesOrNull);
}

function bytesOrNull(value: string | null): Bytes | null {
  return value === null ? null : new Bytes(value);
}

/** Method of a `ColumnWriter` for each type. */
const WRITTEN_BY: Readonly<Record<SqlType, keyof ColumnWriter>> = {
  bigint: 'integer',
  integer: 'integer',
  numeric: 'amount',
  bytea: 'bytes',
  boolean: 'flag',
  text: 'value',
  timestamptz: 'value',
};

/**
 * Compiles `(to, value) => { to.integer(value.saleId); to.endColumn(); … }`, for the same reason as the encoder. A null is
 * written as it is: the table refuses it where there must be none.
 */
function writerOf(leaves: readonly Leaf[]): (to: ColumnWriter, value: unknown) => void {
  const columns = leaves.map(({ member, column: { sqlType } }) => {
    const isNull = `(value${member}) === null`;
    return `if (${isNull}) to.null(); else to.${WRITTEN_BY[sqlType]}(value${member});`;
  });
  return new Function(
    `return (to, value) => { ${columns.join(' to.endColumn(); ')} to.endRow(); };`,
  )();
}

/**
 * Compiles the decoder of a declaration to one function. A decoder is on the path of every request, and a
 * loop over the columns takes seven times as long. The text is made of names in the declaration, never
 * of data.
 * @param storedIn JavaScript that yields a column of `row`, from the column's name.
 */
function compileDecoder(
  fields: Fields,
  storedIn: (name: string) => string,
): (row: never) => unknown {
  const readers: unknown[] = [];
  const textOf = (part: Fields[string], field: string): string => {
    if (isOptional(part)) {
      return `${storedIn(firstColumn(part))} === null ? null : ${objectOf(part.optional)}`;
    }
    if (!isColumn(part)) return objectOf(part);
    const name = nameOf(field, part);
    const stored = storedIn(name);
    const ifNull = part.nullable ? `${stored} === null ? null : ` : '';
    const value =
      part.read === asStored ? stored : `readers[${readers.push(part.read) - 1}](${stored})`;
    return `${ifNull}${stored} == null ? reject(${stored}, '${name}') : ${value}`;
  };
  const objectOf = (group: Fields): string =>
    `{ ${Object.entries(group)
      .map(([field, part]) => `${field}: ${textOf(part, field)}`)
      .join(', ')} }`;
  return new Function('readers', 'reject', `return (row) => (${objectOf(fields)});`)(
    readers,
    reject,
  );
}

/** Name of the column that is null if its optional group is null. */
function firstColumn({ optional: fields }: OptionalGroup<Fields>): string {
  const [first] = leavesOf(fields);
  if (first === undefined) throw new TypeError('an optional group needs a column');
  return first.name;
}

function reject(stored: unknown, name: string): never {
  throw new TypeError(`column ${name} is ${stored === null ? 'null' : 'missing'}`);
}

function nameOf(field: string, { name }: Column<unknown>): string {
  return name ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function isColumn(part: Fields[string]): part is Column<unknown> {
  return 'read' in part && typeof part.read === 'function';
}

function isOptional(part: Fields[string]): part is OptionalGroup<Fields> {
  return (
    'optional' in part &&
    !isColumn(part as Fields) &&
    !isColumn((part as Fields).optional as Fields)
  );
}
