/**
 * Control, format and private characters, separators of lines, and halves of surrogate pairs: a terminal obeys them, or a
 * reader does not see them. Spaces and letters of every script stay.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}]/gu;

/** Largest number of characters of a text of others in a sentence. */
const MAX_CHARACTERS = 4_096;

/**
 * Text of a stranger (a symbol, a name, an error of an API or RPC) for a terminal, a page's title, a mail or a log: each
 * character that does not show is written as its code, so that it neither acts nor hides.
 *
 * @example
 * plainText('\u001b[2Jpass') // '\\u{1b}[2Jpass'
 */
export function plainText(text: string): string {
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return shown.replace(UNSAFE, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** JSON for a terminal: the same value, with the characters that a terminal obeys or hides as `\\uXXXX`. */
export function plainJson(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(UNSAFE, (character) =>
    character === '\n' ? character : escaped(character),
  );
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, i) => character.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
