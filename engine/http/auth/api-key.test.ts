import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deriveKeys } from '../../secrets/keys.ts';
import { hasKeyHash, keyHashOf, keyIdOf, newKey } from './api-key.ts';

const keys = deriveKeys(['a secret of tests, 32 characters or more']);

describe('the text of an API key', () => {
  it('says what it is, and has its public id and a check of itself', () => {
    const live = newKey(false);
    expect(live.text).toMatch(/^tby_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{38}$/);
    expect(newKey(true).text).toMatch(/^tby_test_/);
    expect(keyIdOf(live.text)).toBe(live.id);
    expect(live.text.startsWith(`${live.prefix}_`)).toBe(true);
    expect(live.prefix.endsWith(live.id)).toBe(true);
  });

  it('ends with the CRC-32 of the rest in six characters of base 62', () => {
    const text = 'tby_test_0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef';
    expect(keyIdOf(`${text}${base62(crc32OneBitAtATime(text))}`)).toBe('0123456789');
    expect(crc32OneBitAtATime('123456789')).toBe(0xcbf43926);
  });

  it('recognizes no text with any other character in any place', () => {
    const { text } = newKey(false);
    fc.assert(
      fc.property(fc.nat(text.length - 1), fc.constantFrom(...'0aZ_-é '), (place, character) => {
        fc.pre(text[place] !== character);
        const changed = text.slice(0, place) + character + text.slice(place + 1);
        expect(keyIdOf(changed)).toBeUndefined();
      }),
    );
    fc.assert(fc.property(fc.string(), (any) => keyIdOf(any) === undefined));
    expect(keyIdOf(text.slice(0, -1))).toBeUndefined();
    expect(keyIdOf(`${text}0`)).toBeUndefined();
  });

  it('stores a hash under the secret of the deployment, which may change', () => {
    const { text } = newKey(false);
    const hash = keyHashOf(text, keys);
    expect(hash).toHaveLength(32);
    expect(hasKeyHash(text, hash, keys)).toBe(true);
    expect(hasKeyHash(newKey(false).text, hash, keys)).toBe(false);
    const rotated = deriveKeys([
      'another secret of tests, 32 characters',
      'a secret of tests, 32 characters or more',
    ]);
    expect(hasKeyHash(text, hash, rotated)).toBe(true);
    expect(hasKeyHash(text, hash, deriveKeys(['a third secret of tests, 32 characters']))).toBe(
      false,
    );
  });
});

/** CRC-32 straight from its definition. */
function crc32OneBitAtATime(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function base62(value: number): string {
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) {
    text = digits.charAt(rest % 62) + text;
  }
  return text;
}
