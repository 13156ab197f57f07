import type { Plugin } from 'vite';
import { isSource, translationFile, translationIn, translationsOf } from './catalogue.ts';
import { replaceTexts } from './messages.ts';

/** Compiles the pages in another language: their source with its texts translated, and a page that says so. */
export function translatedTexts(language: string): Plugin {
  const translate = translationsOf(language);
  return {
    name: 'translated-texts',
    enforce: 'pre',
    transform(code, id) {
      const [path = ''] = id.split('?');
      if (path === translationFile) return { code: translationIn(language, translate), map: null };
      return isSource(path) ? { code: replaceTexts(path, code, translate), map: null } : null;
    },
    transformIndexHtml: (html) => html.replace('<html lang="en">', `<html lang="${language}">`),
  };
}
