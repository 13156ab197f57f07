import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainJson, plainLines, plainText } from './plain-text.ts';

/** Any Unicode, with many of the characters that matter. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.constantFrom(
        ...['\u001b[2J', '\u009b', '\u007f', '\n', '\r', '\t', '\u200b', '\u200c', '\u200d'],
        ...['\u202e', '\u2066', '\u2069', '\u00ad', '\ufeff', '\ufe0f', '\u{e0100}', '\u180b'],
        ...['👩', '\u{1f3fd}', '🚀', '1', '\u20e3', 'ب', 'क', '्', 'ᠠ', '漢', '\\u{', '\u17b4'],
        ...['\u{1fffd}', '\u{1f8ff}', '★', '\u2800', '\u3164', '\ue000'],
      ),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

/** Characters that act on a terminal, change directions, begin lines or are never a part of a letter or emoji. */
const NEVER =
  /\u034f|[\p{Cc}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\u{e0000}-\u{e007f}]/u;
/** Characters without a shape that follow what they cannot shape. */
const UNATTACHED = /(?:^|[\sA-Za-z}…])(?:\u200c|\u200d|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}])/u;

describe('plainText', () => {
  it('writes what acts on a terminal, or does not show, as its code', () => {
    expect(plainText('\u001b[2J\u001b[1;1H pass \u001b[8m')).toBe(
      '\\u{1b}[2J\\u{1b}[1;1H pass \\u{1b}[8m',
    );
    expect(plainText('\u009b2J')).toBe('\\u{9b}2J');
    expect(plainText('US\u200bD\u202eC\u2028\ud800')).toBe(
      'US\\u{200b}D\\u{202e}C\\u{2028}\\u{d800}',
    );
    expect(plainText('a\tb\r\nc')).toBe('a\\u{9}b\\u{d}\\u{a}c');
    expect(plainText('U\u034fS\u3164D\ufe0f\u200d\u{e0041}C1\ufe0f')).toBe(
      'U\\u{34f}S\\u{3164}D\\u{fe0f}\\u{200d}\\u{e0041}C1\\u{fe0f}',
    );
  });

  it.each([
    'Müller & Søn – “7” № 5',
    'Nguyễn Thị Minh',
    'Cafe\u0301 Zoe\u0308',
    'Ιωάννης',
    'Владимир Київ',
    '株式会社ハーバー 東京 葛\u{e0100}城',
    '서울 카페',
    'عربي قَهْوَة',
    'می\u200cخواهم',
    'עברית שָׁלוֹם',
    'हिन्दी श्री क्\u200dष',
    'বাংলা',
    'ශ්\u200dරී ලංකා',
    'தமிழ்',
    'ไทย กาแฟ',
    'ខ្មែរ',
    'မြန်မာ',
    'አማርኛ',
    'ქართული',
    'Հայերեն',
    'ᠮᠣᠩ\u180bᠭᠣᠯ',
    '€ ₿ ½ ² ™ ★',
    '🎁 ❤\ufe0f 👩\u200d🚀 👩🏽\u200d⚕\ufe0f 👨\u200d👩\u200d👧 1\ufe0f\u20e3 🇫🇷',
  ])('leaves the name %s as it is', (name) => {
    expect(plainText(name)).toBe(name);
    expect(plainLines(name)).toBe(name);
  });

  it('leaves nothing that acts or hides in any text, and changes nothing the second time', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 60 }), (text, max) => {
        for (const result of [plainText(text), plainText(text, max)]) {
          expect(result).not.toMatch(NEVER);
          expect(result).not.toMatch(UNATTACHED);
        }
        expect(plainText(text, max).length).toBeLessThanOrEqual(max);
        expect(plainText(plainText(text, max), max)).toBe(plainText(text, max));
        expect(plainText(plainText(text))).toBe(plainText(text));
      }),
      { numRuns: 2_000 },
    );
  });

  it('limits the length, and cuts neither an escape nor a pair', () => {
    expect(plainText('x'.repeat(5_000))).toBe(`${'x'.repeat(4_095)}…`);
    expect(plainText('\u001b'.repeat(1_000_000))).toBe(`${'\\u{1b}'.repeat(682)}…`);
    expect(plainText('🎁🎁🎁', 4)).toBe('🎁…');
  });
});

describe('plainJson', () => {
  it('writes JSON that is the same value, and that no terminal obeys', () => {
    const value = { symbol: '\u009b2J\u202e', list: ['a', { b: '\u{e0001}' }] };
    for (const text of [plainJson(value), plainJson(value, 0)]) {
      expect(JSON.parse(text)).toEqual(value);
      expect(text).toMatch(/^[\n\u0020-\u007e]*$/);
    }
  });

  it('stores the value of any JSON, and leaves nothing that acts or hides', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = plainJson({ text }, 0);
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(NEVER);
      }),
    );
  });

  it('leaves line feeds and tabs of a text', () => {
    expect(plainLines('a\n\tb\u001b[2J\u202e\r\n')).toBe('a\n\tb\\u001b[2J\\u202e\\u000d\n');
  });
});
