import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('canonical JSON', () => {
  it('sorts members by UTF-16 units, at every depth, whatever their names', () => {
    const value = {
      '9': 1,
      '10': 2,
      b: [{ d: 1, c: null }],
      a: true,
      é: 1,
      '\u{1F600}': 1,
      '\uFFFD': 1,
    };
    expect(canonicalJson(value)).toBe(
      '{"10":2,"9":1,"a":true,"b":[{"c":null,"d":1}],"é":1,"\u{1F600}":1,"\uFFFD":1}',
    );
  });

  it('writes a bigint as its digits, and omits undefined members', () => {
    expect(canonicalJson({ amount: 2n ** 256n, none: undefined })).toBe(
      '{"amount":"115792089237316195423570985008687907853269984665640564039457584007913129639936"}',
    );
  });

  it('refuses values that are nested too deep', () => {
    const deep = JSON.parse(`${'['.repeat(33)}${']'.repeat(33)}`);
    expect(() => canonicalJson(deep)).toThrow(RangeError);
    expect(canonicalJson(JSON.parse(`${'['.repeat(32)}${']'.repeat(32)}`))).toHaveLength(64);
  });
});
