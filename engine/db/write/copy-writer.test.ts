import { describe, expect, it } from 'vitest';
import {
  amount,
  as,
  byteHash,
  flag,
  id,
  integer,
  nullable,
  optional,
  rowCodec,
  small,
  text,
} from '../row.ts';
import { CopyWriter } from './copy-writer.ts';

/** What a writer wrote with `write`, as text. */
function written(write: (to: CopyWriter) => void): string {
  const writer = new CopyWriter();
  write(writer);
  return writer.take().toString();
}

describe('a copy writer', () => {
  it('writes numbers as JavaScript does', () => {
    const edges = [0, 1, 9, 10, 11, 99, 100, 101, 4_294_967_296, 2 ** 53 - 1, -1, -10, -(2 ** 40)];
    const top = Array.from({ length: 2_000 }, (_, i) => 2 ** 53 - 1 - i * 4_503_599_627);
    const powers = Array.from({ length: 16 }, (_, i) => [10 ** i - 1, 10 ** i, 10 ** i + 1]).flat();
    for (const value of [...edges, ...top, ...powers.filter(Number.isSafeInteger)]) {
      expect(written((to) => to.integer(value))).toBe(`${value}`);
      expect(written((to) => to.amount(BigInt(value)))).toBe(`${value}`);
    }
  });

  it('makes no integer of a number that is none', () => {
    for (const value of [0.5, 1.5, 1e21, Number.POSITIVE_INFINITY, Number.NaN, -1.5]) {
      expect(written((to) => to.integer(value))).toBe(`${value}`);
    }
  });

  it('writes amounts and ids beyond 53 bits exactly', () => {
    for (const exponent of [53n, 63n, 64n, 255n, 256n]) {
      for (const value of [
        2n ** exponent - 1n,
        2n ** exponent,
        2n ** exponent + 1n,
        -(2n ** exponent),
      ]) {
        expect(written((to) => to.amount(value))).toBe(value.toString());
        expect(written((to) => to.integer(value.toString()))).toBe(value.toString());
      }
    }
  });

  it('escapes what COPY reads otherwise, wherever it is in a text', () => {
    for (const before of ['', 'a', 'ä', '\t']) {
      expect(written((to) => to.text(`${before}\t\n\r\\N€𝄞z`))).toBe(
        `${before.replace('\t', '\\t')}\\t\\n\\r\\\\N€𝄞z`,
      );
    }
  });

  it('writes bytes as PostgreSQL reads them', () => {
    expect(written((to) => to.bytes('0x00ff'))).toBe('\\\\x00ff');
    expect(written((to) => to.bytes('0x'))).toBe('\\\\x');
  });

  it('writes lists as arrays and objects as JSON, with bigints as digits', () => {
    expect(written((to) => to.value(['a"b', 'c\\d', 1]))).toBe('{"a\\\\"b","c\\\\\\\\d","1"}');
    expect(written((to) => to.value({ amount: 2n ** 64n, list: [1n] }))).toBe(
      '{"amount":"18446744073709551616","list":["1"]}',
    );
    expect(written((to) => to.value(null))).toBe('\\N');
  });

  it('grows in the middle of a row, and begins again after rows were taken', () => {
    const long = 'x'.repeat(100_000);
    const writer = new CopyWriter();
    for (let i = 0; i < 5; i += 1) {
      writer.text(long);
      writer.endColumn();
    }
    expect(writer.take().toString()).toBe(`${long}\t`.repeat(5));
    expect(writer.length).toBe(0);
    writer.text('y'.repeat(200_000));
    expect(writer.take().toString()).toBe('y'.repeat(200_000));
  });

  it('fills its buffer to the last byte by any kind of value', () => {
    const kinds: readonly [string, (to: CopyWriter) => void][] = [
      ['\\N', (to) => to.null()],
      ['t', (to) => to.flag(true)],
      ['7', (to) => to.integer(7)],
      ['12345', (to) => to.amount(12_345n)],
      ['\\\\xab', (to) => to.bytes('0xab')],
      ['é', (to) => to.text('é')],
      ['\t', (to) => to.endColumn()],
    ];
    for (const [expected, write] of kinds) {
      for (let left = 0; left < 8; left += 1) {
        const filled = 128 * 1_024 - left;
        const writer = new CopyWriter();
        for (let i = 0; i < filled; i += 1) writer.endRow();
        write(writer);
        expect(writer.take().toString()).toBe(`${'\n'.repeat(filled)}${expected}`);
      }
    }
  });
});

describe('a row codec', () => {
  const codec = rowCodec({
    saleId: id,
    seq: integer,
    level: small,
    amount,
    note: nullable(text),
    open: flag,
    record: { hash: byteHash.from('transaction_hash') },
    profile: optional({ handle: text, followers: integer }),
    args: as<object>(),
  });
  const row = {
    saleId: '9223372036854775807',
    seq: 12,
    level: 3,
    amount: 2n ** 256n - 1n,
    note: null,
    open: true,
    record: { hash: '0xab' as const },
    profile: { handle: 'maria\t', followers: 0 },
    args: { amount: 1n },
  };
  const line = `9223372036854775807\t12\t3\t${2n ** 256n - 1n}\t\\N\tt\t\\\\xab`;

  it('writes the columns of a row in the order of its names', () => {
    expect(written((to) => codec.write(to, row))).toBe(`${line}\tmaria\\t\t0\t{"amount":"1"}\n`);
    expect(line.split('\t')).toHaveLength(codec.names.indexOf('handle'));
  });

  it('writes an optional group that is null as nulls', () => {
    const without = written((to) => codec.write(to, { ...row, profile: null }));
    expect(without).toBe(`${line}\t\\N\t\\N\t{"amount":"1"}\n`);
  });

  it('writes no other value for one that is missing', () => {
    const columns = ['saleId', 'seq', 'level', 'amount', 'open', 'args'] as const;
    for (const [i, name] of columns.entries()) {
      // biome-ignore lint/suspicious/noExplicitAny: the type refuses it, too.
      const of = (value: any) => written((to) => codec.write(to, { ...row, [name]: value }));
      const column = codec.names.indexOf(name === 'saleId' ? 'sale_id' : name);
      expect(of(null).trimEnd().split('\t')[column], name).toBe('\\N');
      // An id of no digits is refused by PostgreSQL.
      if (i < 3) expect(of(undefined)).toContain('undefined');
      else expect(() => of(undefined), name).toThrow(TypeError);
    }
  });
});
