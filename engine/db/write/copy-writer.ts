import type { ColumnWriter, StoredValue } from '../row.ts';
import { plainJson } from './statements.ts';

/** Bytes that a buffer begins with. */
const CAPACITY = 128 * 1_024;

/** Most bytes that UTF-8 takes for a character of a text. */
const BYTES_A_CHARACTER = 3;

const TAB = 0x09;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** Characters with a special meaning in the text format of COPY. */
const SPECIAL = /[\\\t\n\r]/;
const EACH_SPECIAL = new RegExp(SPECIAL, 'g');
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/**
 * Writes rows in the text format of COPY (PostgreSQL manual, COPY) as bytes. To join texts and encode them afterwards takes
 * a quarter more time, and leaves more garbage (bench/decisions.md).
 */
export class CopyWriter implements ColumnWriter {
  #bytes = Buffer.allocUnsafeSlow(CAPACITY);
  #length = 0;

  /** Bytes that are written and not taken yet. */
  get length(): number {
    return this.#length;
  }

  /** Takes the rows that are written: a view of the buffer, which the next ones overwrite. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#length = 0;
    return taken;
  }

  /** Ends a column that another one follows. */
  endColumn(): void {
    this.#byte(TAB);
  }

  endRow(): void {
    this.#byte(NEWLINE);
  }

  null(): void {
    const at = this.#room(2);
    this.#bytes[at] = BACKSLASH;
    this.#bytes[at + 1] = 0x4e;
    this.#length = at + 2;
  }

  flag(value: boolean): void {
    if (typeof value !== 'boolean') throw new TypeError(`expected a flag, got ${value}`);
    this.#byte(value ? 0x74 : 0x66);
  }

  /** Writes an integer: decimal digits, or a number below 2^53. */
  integer(value: number | string): void {
    if (typeof value === 'string') this.#short(value);
    else if (value >= 0 && Number.isSafeInteger(value)) this.#digits(value);
    // PostgreSQL refuses a number that is no integer.
    else this.text(String(value));
  }

  amount(value: bigint): void {
    const small = Number(value);
    if (small >= 0 && small <= Number.MAX_SAFE_INTEGER) this.#digits(small);
    else this.text(value.toString());
  }

  /** Writes `0x…` for a column that stores bytes. */
  bytes(hex: string): void {
    const at = this.#room(hex.length + 1);
    const bytes = this.#bytes;
    bytes[at] = BACKSLASH;
    bytes.write(hex, at + 1, 'latin1');
    // The digit before `x` has no meaning to PostgreSQL.
    bytes[at + 1] = BACKSLASH;
    this.#length = at + 1 + hex.length;
  }

  text(value: string): void {
    const escaped = SPECIAL.test(value)
      ? value.replace(EACH_SPECIAL, (character) => ESCAPES[character] ?? character)
      : value;
    const at = this.#room(BYTES_A_CHARACTER * escaped.length);
    this.#length = at + this.#bytes.write(escaped, at);
  }

  /** Writes any value: an array becomes an array of PostgreSQL, any other object JSON. */
  value(value: StoredValue): void {
    if (value === null) this.null();
    else if (typeof value === 'boolean') this.flag(value);
    else if (typeof value === 'string') this.text(value);
    else if (typeof value !== 'object') this.text(value.toString());
    else this.text(Array.isArray(value) ? arrayLiteral(value) : JSON.stringify(plainJson(value)));
  }

  /** Writes a text of few characters: calling into V8 for it would take longer. */
  #short(value: string): void {
    let at = this.#room(value.length);
    const bytes = this.#bytes;
    for (let i = 0; i < value.length; i += 1) {
      const code = value.charCodeAt(i);
      if (code < ZERO || code > ZERO + 9) {
        this.text(value);
        return;
      }
      bytes[at++] = code;
    }
    this.#length = at;
  }

  #byte(value: number): void {
    const at = this.#room(1);
    this.#bytes[at] = value;
    this.#length = at + 1;
  }

  #digits(value: number): void {
    let digits = 1;
    for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) digits += 1;
    const end = this.#room(digits) + digits;
    const bytes = this.#bytes;
    let rest = value;
    for (let at = end - 1; at >= end - digits; at -= 1) {
      const tens = Math.floor(rest / 10);
      // The brackets matter: beyond 2^53 a sum would be rounded.
      bytes[at] = ZERO + (rest - 10 * tens);
      rest = tens;
    }
    this.#length = end;
  }

  /** Makes room for `count` bytes, and returns where they go. */
  #room(count: number): number {
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(2 * needed);
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    return this.#length;
  }
}

/** An array of texts or numbers in the syntax of PostgreSQL (manual, "Array Input and Output Syntax"). */
function arrayLiteral(values: readonly (string | number | bigint)[]): string {
  const quoted = values.map((value) => `"${String(value).replace(/["\\]/g, '\\$&')}"`);
  return `{${quoted.join(',')}}`;
}
