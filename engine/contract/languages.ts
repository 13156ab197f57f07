/** Languages of the site's pages, by their own names. English is what the sources are written in. */
export const languages = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof languages;

/** Cookie with the language that a reader chose: without one, pages are in English. */
export const LANGUAGE_COOKIE = 'tributary-language';

/** The language of a name from outside; English if there is no such language. */
export function languageOf(name: string | undefined): Language {
  return name !== undefined && Object.hasOwn(languages, name) ? (name as Language) : 'en';
}

/** File of all pages in a language, in the folder of the built site. */
export function pageFileOf(language: Language): string {
  return language === 'en' ? 'index.html' : `index.${language}.html`;
}
