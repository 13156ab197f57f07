/** The language of these pages: a build in another language replaces this file. */
import type { Language } from '../../engine/contract/languages.ts';

export const language: Language = 'en';

/** Names of the API's states, checks and events in this language, by their English words; English needs none. */
export const translatedNames: Readonly<Record<string, string>> = {};
