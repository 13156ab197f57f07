import { describe, expect, it } from 'vitest';
import { renewed, translationIn, translationsOf, withoutTranslation } from './catalogue.ts';

/** A catalogue with a text, its translations, and a plural if it has one. */
function catalogue(text: string, to: readonly string[], plural?: string): string {
  const lines =
    plural === undefined ? [`msgstr "${to[0]}"`] : to.map((one, i) => `msgstr[${i}] "${one}"`);
  return [`msgid "${text}"`, ...(plural ? [`msgid_plural "${plural}"`] : []), ...lines, ''].join(
    '\n',
  );
}

describe('translationsOf', () => {
  it('returns the translation of a text, and both of one with a plural', () => {
    const translate = translationsOf(
      'de',
      `${catalogue('Save', ['Sichern'])}\n${catalogue('sale', ['Verkauf', 'Verkäufe'], 'sales')}`,
    );
    expect(translate({ text: 'Save' })).toEqual(['Sichern']);
    expect(translate({ text: 'sale', plural: 'sales' })).toEqual(['Verkauf', 'Verkäufe']);
    expect(translate({ text: 'sale' })).toBeUndefined();
    expect(translate({ text: 'Other' })).toBeUndefined();
  });

  it.each([
    ['loses an amount', '{amount} paid', 'gezahlt'],
    ['names another one', '{amount} paid', '{price} gezahlt'],
    ['shows it twice', '{amount} paid', '{amount} {amount} gezahlt'],
    ['loses a link', 'See <0>it</0>', 'Ansehen'],
  ])('refuses a translation that %s', (_what, text, to) => {
    expect(() => translationsOf('de', catalogue(text, [to]))).toThrow(
      `de.po: "${to}" must have the placeholders of "${text}"`,
    );
  });

  it('accepts the German of this project', () => {
    expect(translationsOf('de')({ text: 'Language' })).toEqual(['Sprache']);
  });
});

describe('renewed', () => {
  it('keeps the translations of texts that are there, adds new texts, and drops old ones', () => {
    const now = renewed(
      'de',
      `${catalogue('Language', ['Sprache'])}\n${catalogue('Gone', ['Weg'])}`,
    );
    expect(translationsOf('de', now)({ text: 'Language' })).toEqual(['Sprache']);
    expect(now).not.toContain('Gone');
    expect(withoutTranslation(now)).toContain('Search');
    expect(withoutTranslation(now)).not.toContain('Language');
    expect(renewed('de', now)).toBe(now);
  });
});

describe('translationIn', () => {
  it('writes the names of the API in a language, and in English those without a translation', () => {
    const translate = translationsOf('de', catalogue('pending', ['offen']));
    expect(translationIn('de', translate)).toMatch(
      /^export const language = "de";\nexport const translatedNames = \{"pending":"offen","finalized":"finalized",/,
    );
  });
});
