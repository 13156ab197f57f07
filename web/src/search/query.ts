import { decodeReferralCode } from '../../../engine/core/referral-code.ts';

/** A search as the API is asked for it. */
export interface SearchQuery {
  readonly q: string;
  /** Only results of this type, if the text names one: `sale 578`. */
  readonly type?: 'sale' | 'campaign' | 'link' | 'block' | 'distributor';
}

const words = {
  sale: 'sale',
  receipt: 'sale',
  campaign: 'campaign',
  link: 'link',
  node: 'link',
  block: 'block',
} as const;

/**
 * Reads what a person typed into the search.
 *
 * @example
 * readQuery('#578') // { q: '578', type: 'sale' }
 * readQuery('campaign 7') // { q: '7', type: 'campaign' }
 * readQuery('@north-wind') // { q: 'north-wind', type: 'distributor' }
 */
export function readQuery(text: string): SearchQuery {
  const typed = text.trim().replace(/\s+/g, ' ');
  const [, word, number] = /^(?:([a-z]+) )?#?([0-9]{1,78})$/i.exec(typed) ?? [];
  if (number !== undefined) {
    const named = word === undefined ? undefined : typeOf(word);
    if (named !== undefined) return { q: number, type: named };
    if (word === undefined && typed.startsWith('#')) return { q: number, type: 'sale' };
  }
  const [, handle] = /^@([a-z][a-z0-9-]{2,31})$/i.exec(typed) ?? [];
  if (handle !== undefined) return { q: handle.toLowerCase(), type: 'distributor' };
  const [, hash] = /^(?:tx|transaction|address) (0x[0-9a-f]+)$/i.exec(typed) ?? [];
  return { q: hash ?? typed };
}

function typeOf(word: string): SearchQuery['type'] {
  const lower = word.toLowerCase();
  return Object.hasOwn(words, lower) ? words[lower as keyof typeof words] : undefined;
}

/** True for a text that has the form of a referral code, and whose check characters are wrong. */
export function isMistypedCode(text: string): boolean {
  const typed = text.trim();
  const isCode = /^[0-9a-z-]{3,32}$/i.test(typed) && /[0-9]/.test(typed) && /[a-z]/i.test(typed);
  return isCode && !isHex(typed) && decodeReferralCode(typed) === undefined;
}

/** True for the beginning of an address or hash that is too short to be searched for. */
export function isShortHex(text: string): boolean {
  return isHex(text.trim()) && text.trim().length < MIN_HEX;
}

/** Characters of a beginning of an address or hash, with `0x`, from which on it is searched for. */
const MIN_HEX = 6;

function isHex(typed: string): boolean {
  return /^0x[0-9a-f]*$/i.test(typed);
}
