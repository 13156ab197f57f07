import { LOOK_ALIKES } from './look-alikes.ts';

/** Each letter that looks like another one, with that one. */
const prototypes: ReadonlyMap<string, string> = new Map(
  LOOK_ALIKES.flatMap((group) => {
    const [prototype = '', ...others] = group;
    return others.map((letter) => [letter, prototype] as const);
  }),
);

/**
 * Skeleton of a name: two names look alike if theirs are equal (UTS #39, with case and punctuation left out). It is for
 * comparing, not for showing. `commerce.name_skeleton` computes the same in SQL.
 *
 * @example
 * skeletonOf('Hаrbоr') === skeletonOf('Harbor') // the first has a Cyrillic а and о
 */
export function skeletonOf(name: string): string {
  const mapped = [...name.normalize('NFKC')].map((letter) => prototypes.get(letter) ?? letter);
  return mapped
    .join('')
    .replace(/[\s!-/:-@[-`{-~]/g, '')
    .toLowerCase()
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}

/** Scripts of which a word may have one alone. A letter of another script counts as one of its own kind. */
const scripts = [
  ...['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Georgian', 'Hebrew', 'Arabic', 'Cherokee'],
  ...['Coptic', 'Lisu', 'Deseret', 'Osage', 'Tifinagh', 'Canadian_Aboriginal', 'Glagolitic'],
  ...['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo', 'Devanagari', 'Bengali', 'Tamil'],
  ...['Telugu', 'Kannada', 'Malayalam', 'Gujarati', 'Gurmukhi', 'Oriya', 'Sinhala', 'Thai', 'Lao'],
  ...['Myanmar', 'Khmer', 'Ethiopic', 'Mongolian', 'Tibetan'],
].map((script) => ({ script, has: new RegExp(`^\\p{Script_Extensions=${script}}$`, 'u') }));

/** Scripts that are written together: UTS #39, "highly restrictive". */
const together: readonly (readonly string[])[] = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

/**
 * True if a word of the name has letters of scripts that are not written together, such as Latin and Cyrillic: one of them
 * replaces the other's look-alike.
 */
export function mixesScripts(name: string): boolean {
  const words = name.normalize('NFKC').split(/[^\p{L}\p{M}]+/u);
  return words.some((word) => {
    const letters = [...word].filter((letter) => /\p{L}/u.test(letter));
    const scriptsOf = letters
      .map((letter) => scripts.filter(({ has }) => has.test(letter)).map(({ script }) => script))
      .filter((found) => found.length > 0);
    const allows = (group: readonly string[]) =>
      scriptsOf.every((found) => found.some((script) => group.includes(script)));
    return ![...scripts.map(({ script }) => [script]), ...together].some(allows);
  });
}
