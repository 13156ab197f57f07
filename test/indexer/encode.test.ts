import { type AbiParameter, parseAbiParameters } from 'viem';
import { describe, expect, test } from 'vitest';
import { EncodeError, encodeArgs, toStorableText } from '../../src/encode.ts';

const ADDRESS = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

describe('encodeArgs', () => {
  test('encodes integers wider than 48 bits as decimal strings, narrower ones as numbers', () => {
    const parameters = parseAbiParameters('uint256 a, uint64 b, uint48 c, uint8 d, int256 e');
    const args = { a: 2n ** 256n - 1n, b: 0n, c: 2 ** 48 - 1, d: 7, e: -1n };
    expect(encodeArgs(parameters, args)).toEqual({
      a: '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      b: '0',
      c: 281474976710655,
      d: 7,
      e: '-1',
    });
  });

  test('encodes addresses and bytes as lower-case hex, and leaves text that looks like hex alone', () => {
    const parameters = parseAbiParameters('address a, bytes32 b, bytes c, string d');
    const args = { a: ADDRESS, b: `0x${'AB'.repeat(32)}`, c: '0xCD', d: ADDRESS };
    expect(encodeArgs(parameters, args)).toEqual({
      a: ADDRESS.toLowerCase(),
      b: `0x${'ab'.repeat(32)}`,
      c: '0xcd',
      d: ADDRESS,
    });
  });

  test('keeps the shape and field names of arrays, structs and arrays of structs', () => {
    const parameters = parseAbiParameters([
      'struct Part { uint256 amount; string[] tags; }',
      'Part whole, Part[] list, uint16[2] pair, uint256[][] deep',
    ]);
    const part = { amount: 5n, tags: ['a', 'b\0'] };
    expect(
      encodeArgs(parameters, { whole: part, list: [part], pair: [1, 2], deep: [[1n], []] }),
    ).toEqual({
      whole: { amount: '5', tags: ['a', 'b\uFFFD'] },
      list: [{ amount: '5', tags: ['a', 'b\uFFFD'] }],
      pair: [1, 2],
      deep: [['1'], []],
    });
  });

  test.each<[string, AbiParameter[], unknown]>([
    ['a missing value', [{ name: 'a', type: 'uint256' }], undefined],
    ['text for a number', [{ name: 'a', type: 'uint256' }], '5'],
    ['a number for text', [{ name: 'a', type: 'string' }], 5],
    ['no array', [{ name: 'a', type: 'uint8[]' }], 5],
    ['no struct', [{ name: 'a', type: 'tuple', components: [] }], null],
  ])('refuses %s, and names the parameter', (_, parameters, value) => {
    expect(() => encodeArgs(parameters, { a: value })).toThrow(EncodeError);
    expect(() => encodeArgs(parameters, { a: value })).toThrow(/^a should be /);
  });
});

test('replaces NUL and lone surrogates by U+FFFD, and changes nothing else', () => {
  expect(toStorableText('a\0b\uD800c\uDC00 😀 é\u0001')).toBe('a\uFFFDb\uFFFDc\uFFFD 😀 é\u0001');
});
