import type { PostgresType } from 'postgres';
import { parse } from 'postgres-array';
import { byteaText, hexOfBytea } from '../hex.ts';

/*
 * Arrays of PostgreSQL's own types. postgres.js 3.4.9 would ask each new connection for them, and if that connection is
 * lost, no code catches the error of its question, which ends the process.
 */

/** Numbers of types and of their arrays, which never change (pg_type.dat), and how an element is read and written. */
const ELEMENTS = {
  bool: {
    array: 1000,
    read: (text: string) => text === 't',
    write: (on: boolean) => (on ? 't' : 'f'),
  },
  bytea: {
    array: 1001,
    read: hexOfBytea,
    write: byteaText,
  },
  char: { array: 1002 },
  name: { array: 1003 },
  int2: { array: 1005, read: Number },
  int4: { array: 1007, read: Number },
  text: { array: 1009 },
  bpchar: { array: 1014 },
  varchar: { array: 1015 },
  int8: { array: 1016 },
  float4: { array: 1021, read: Number },
  float8: { array: 1022, read: Number },
  oid: { array: 1028, read: Number },
  timestamp: { array: 1115, ...dates() },
  date: { array: 1182, ...dates() },
  timestamptz: { array: 1185, ...dates() },
  numeric: { array: 1231 },
  uuid: { array: 2951 },
  json: { array: 199, read: JSON.parse, write: JSON.stringify },
  jsonb: { array: 3807, read: JSON.parse, write: JSON.stringify },
} satisfies Record<string, Element>;

interface Element {
  readonly array: number;
  readonly read?: (text: string) => unknown;
  // biome-ignore lint/suspicious/noExplicitAny: each writes elements of its own type.
  readonly write?: (element: any) => string;
}

function dates() {
  return {
    read: (text: string) => new Date(text),
    write: (date: Date | string) => new Date(date).toISOString(),
  };
}

/** For postgres.js's option `types`. */
export const arrayTypes: Record<string, PostgresType> = Object.fromEntries(
  Object.entries<Element>(ELEMENTS).map(([name, { array, read, write = String }]) => [
    `${name}[]`,
    {
      to: array,
      from: [array],
      parse: (text: string) => parse(text, read ?? ((element: string) => element)),
      serialize: (elements: unknown) => arrayLiteral(elements, write),
    },
  ]),
);

/** An array as PostgreSQL reads it; text is one already. */
function arrayLiteral(elements: unknown, write: (element: unknown) => string): string {
  if (!Array.isArray(elements)) return String(elements);
  const items = elements.map((element) => {
    if (Array.isArray(element)) return arrayLiteral(element, write);
    if (element === null) return 'null';
    if (element === undefined)
      throw new TypeError('an array for the database has an undefined element');
    return `"${write(element).replace(/["\\]/g, '\\$&')}"`;
  });
  return `{${items.join(',')}}`;
}
