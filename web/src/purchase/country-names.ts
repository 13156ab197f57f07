import { countryCodes } from '../../../engine/core/buyer-details.ts';
import { language } from '../translation.ts';

const names = new Intl.DisplayNames(language, { type: 'region' });

/** Name of a country in the language of the pages; its code if it has none. */
export const countryName = (code: string): string => names.of(code) ?? code;

/** Countries with their names, in the order of the names. */
export function countryOptions(): readonly (readonly [code: string, name: string])[] {
  return countryCodes
    .map((code) => [code, countryName(code)] as const)
    .sort(([, a], [, b]) => a.localeCompare(b, language));
}

/** Country of the browser's language; empty if it names none. */
export function likelyCountry(): string {
  const region = new Intl.Locale(navigator.language).region ?? '';
  return countryCodes.includes(region) ? region : '';
}
