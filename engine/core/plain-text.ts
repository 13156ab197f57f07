/**
 * Characters that a terminal obeys or a reader does not see: control, format, private and unassigned characters, separators
 * of lines, halves of surrogate pairs, and all others that have no shape of their own (default ignorable code points).
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** Default maximum number of UTF-16 units of a text. */
const MAX_LENGTH = 4_096;

/** End of a text that was cut within an escape or surrogate pair, or after a character that shapes the next one. */
const CUT_WITHIN = /(?:\u200c|\u200d|\ufe0f)?(?:\\(?:u(?:\{[0-9a-f]*)?)?|[\ud800-\udbff])?$/;

/**
 * Text of a stranger (a symbol, a name, an error of an API, RPC or contract) for a terminal, a page's title, a mail or a
 * log: one line, in which each character that does not show is written as its code, so that it neither acts nor hides.
 * Letters, marks and spaces of every script stay, and so do joiners and selectors where they shape a letter or an emoji.
 * A second call changes nothing.
 * @param max maximum length of the result in UTF-16 units, at least 1; a longer text ends in `…`.
 *
 * @example
 * plainText('\u001b[2Jpass') // '\\u{1b}[2Jpass'
 */
export function plainText(text: string, max = MAX_LENGTH): string {
  // Escapes only make it longer, so no more is needed to see that it is too long.
  const escaped = escapeUnsafe(text.slice(0, max + 1), (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  if (escaped.length <= max) return escaped;
  return `${escaped.slice(0, max - 1).replace(CUT_WITHIN, '')}…`;
}

/** JSON for a terminal: the same value, with the characters that a terminal obeys or hides as `\\uXXXX`. */
export function plainJson(value: unknown, indent = 2): string {
  return plainLines(JSON.stringify(value, null, indent));
}

/**
 * Text of whole lines, such as a log or JSON, with what does not show as `\\uXXXX`; line feeds and tabs stay. JSON has the
 * same value as before.
 */
export function plainLines(text: string): string {
  if (!NOT_PLAIN_ASCII.test(text)) return text;
  return escapeUnsafe(text, (character) => {
    if (character === '\n' || character === '\t') return character;
    const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
  });
}

/** Most lines of a log have nothing else, and this is faster than to look at each character's properties. */
const NOT_PLAIN_ASCII = /[^\t\n -~]/;

function escapeUnsafe(text: string, codeOf: (character: string) => string): string {
  return text.replace(UNSAFE, (character, index: number) => {
    const before = text.slice(Math.max(0, index - 4), index);
    const after = text.slice(index + character.length, index + character.length + 2);
    return isShaping(before, character, after) ? character : codeOf(character);
  });
}

/** Characters without a shape of their own that are part of a letter or emoji. */
const SHAPING: readonly (readonly [character: RegExp, before: RegExp, after?: RegExp])[] = [
  // A woman, a joiner and a rocket are an astronaut; the woman can have a color of skin.
  [
    /^\u200d$/,
    /(?=\p{Extended_Pictographic})\p{Emoji}[\ufe0f\u{1f3fb}-\u{1f3ff}]?$/u,
    /^(?=\p{Extended_Pictographic})\p{Emoji}/u,
  ],
  // Presentation as emoji or as text; a digit only in the picture of a key.
  [/^[\ufe0e\ufe0f]$/, /(?![0-9#*])\p{Emoji}$/u],
  [/^\ufe0f$/, /[0-9#*]$/, /^\u20e3/],
  // Variants of Chinese characters, which names of people have, and of Mongolian letters.
  [/^[\ufe00-\ufe02\u{e0100}-\u{e01ef}]$/u, /\p{Script=Han}$/u],
  [/^[\u180b-\u180d\u180f]$/, /(?=\p{Script=Mongolian})\p{L}$/u],
];

/** A letter or mark of a script in which a joiner or non-joiner between two of them is spelling. */
const JOINED =
  /^(?![\p{Default_Ignorable_Code_Point}])(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}]$/u;

function isShaping(before: string, character: string, after: string): boolean {
  const isShape = SHAPING.some(
    ([shape, base, next]) =>
      shape.test(character) && base.test(before) && (next === undefined || next.test(after)),
  );
  if (isShape) return true;
  if (character !== '\u200c' && character !== '\u200d') return false;
  return JOINED.test([...before].at(-1) ?? '') && JOINED.test([...after][0] ?? '');
}
