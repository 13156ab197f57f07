import { prefixQuery, searchWords } from '../campaigns/filters.ts';

/** Fewest characters that are searched for with typing mistakes: shorter texts are like too many. */
const MIN_SIMILAR = 3;

/** A text to search for, as the search compares it. */
export interface SearchText {
  /** As it was typed. */
  readonly typed: string;
  /** As `commerce.search_text` returns it. */
  readonly text: string;
  /** Text-search query for its words; empty if it has none that are long enough. */
  readonly words: string;
  /** True if names that are like it are looked for too. */
  readonly similar: boolean;
}

/**
 * Reads a text as the search compares it: without accents, punctuation and capital letters.
 * @returns `undefined` if nothing is left of it.
 */
export function readSearchText(q: string): SearchText | undefined {
  const text = normalizeText(q);
  if (text === '') return undefined;
  return { typed: q, text, words: wordsQuery(text), similar: [...text].length >= MIN_SIMILAR };
}

/** A text as `commerce.search_text` (0080_search.sql) returns it. */
export function normalizeText(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[\s!-/:-@[-`{-~]+/g, ' ')
    .trim();
}

/** Words of one Latin letter or digit begin too many others: they are left out. */
function wordsQuery(text: string): string {
  return searchWords(text)
    .filter((word) => !/^[a-z0-9]$/.test(word))
    .map(prefixQuery)
    .filter((word) => word !== '')
    .join(' & ');
}
