import { expect, it } from 'vitest';
import { plainJson, plainText } from './plain-text.ts';

it('writes what acts on a terminal, or does not show, as its code', () => {
  expect(plainText('\u001b[2J\u001b[1;1H pass \u001b[8m')).toBe(
    '\\u{1b}[2J\\u{1b}[1;1H pass \\u{1b}[8m',
  );
  expect(plainText('\u009b2J')).toBe('\\u{9b}2J');
  expect(plainText('US\u200bD\u202eC\u2028\ud800')).toBe(
    'US\\u{200b}D\\u{202e}C\\u{2028}\\u{d800}',
  );
  expect(plainText('a\tb\r\nc')).toBe('a\\u{9}b\\u{d}\\u{a}c');
});

it('keeps letters, marks, digits, symbols and emoji of every script', () => {
  const text = 'Müller & Søn – 株式会社 عربي हिन्दी € ₿ 🎁 “7”';
  expect(plainText(text)).toBe(text);
});

it('limits the length', () => {
  expect(plainText('x'.repeat(5_000))).toHaveLength(4_097);
});

it('writes JSON that is the same value, and that no terminal obeys', () => {
  const value = { symbol: '\u009b2J\u202e', list: ['a', { b: '\u{e0001}' }] };
  const text = plainJson(value);
  expect(JSON.parse(text)).toEqual(value);
  expect(text).toMatch(/^[\n\u0020-\u007e]*$/);
});
