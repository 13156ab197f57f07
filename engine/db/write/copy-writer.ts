import type { ColumnWriter, StoredValue } from '../row.ts';
import { plainJson } from './statements.ts';

/** Bytes of a new buffer: rows are sent when it is about full. */
const CAPACITY = 128 * 1_024;

/** Most bytes that UTF-8 takes for one character of a text, and that COPY takes for an escaped one. */
const BYTES_A_CHARACTER = 3;

const TAB = 0x09;
const NEWLINE = 0x0a;
const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** Characters with a special meaning in the text format of COPY. */
const ESCAPED = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
};

/**
 * Writes rows in the text format of COPY (PostgreSQL manual, COPY) as bytes. Texts that are joined and then encoded take
 * twice the time and leave four times the garbage (bench/decisions.md).
 */
export class CopyWriter implements ColumnWriter {
  #bytes = Buffer.allocUnsafeSlow(CAPACITY);
  #length = 0;

  /** Bytes that are written and not taken yet. */
  get length(): number {
    return this.#length;
  }

  /** Takes the rows that are written. They stay as they are: what follows is written elsewhere. */
  take(): Buffer {
    const taken = this.#bytes.subarray(0, this.#length);
    this.#bytes = Buffer.allocUnsafeSlow(CAPACITY);
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
    if (typeof value === 'number' && value >= 0) this.#digits(value);
    else this.text(String(value));
  }

  amount(value: bigint): void {
    const small = Number(value);
    if (small >= 0 && small <= Number.MAX_SAFE_INTEGER) this.#digits(small);
    else this.text(value.toString());
  }

  /** Writes `0x…` for a column that stores bytes. */
  bytes(hex: string): void {
    let at = this.#room(hex.length + 1);
    this.#bytes[at++] = BACKSLASH;
    this.#bytes[at++] = BACKSLASH;
    for (let i = 1; i < hex.length; i += 1) this.#bytes[at++] = hex.charCodeAt(i);
    this.#length = at;
  }

  text(value: string): void {
    let at = this.#room(BYTES_A_CHARACTER * value.length);
    for (let i = 0; i < value.length; i += 1) {
      const code = value.charCodeAt(i);
      if (code < 0x20 || code > 0x7e || code === BACKSLASH) {
        const rest = value
          .slice(i)
          .replace(ESCAPED, (character) => ESCAPES[character] ?? character);
        at += this.#bytes.write(rest, at);
        break;
      }
      this.#bytes[at++] = code;
    }
    this.#length = at;
  }

  /** Writes any value: an array becomes an array of PostgreSQL, any other object JSON. */
  value(value: StoredValue): void {
    if (value === null) this.null();
    else if (typeof value === 'boolean') this.flag(value);
    else if (typeof value === 'string') this.text(value);
    else if (typeof value !== 'object') this.text(value.toString());
    else this.text(Array.isArray(value) ? arrayLiteral(value) : JSON.stringify(plainJson(value)));
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
    let rest = value;
    for (let at = end - 1; at >= end - digits; at -= 1) {
      const tens = Math.floor(rest / 10);
      // The brackets matter: beyond 2^53 a sum would be rounded.
      this.#bytes[at] = ZERO + (rest - 10 * tens);
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
