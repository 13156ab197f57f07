import { cardPathOf } from '../../../contract/pages.ts';
import { plainText } from '../../../core/plain-text.ts';
import type { ShareSubject } from './subject.ts';

/** Pixels of a share card, as sites expect them. */
export const CARD_SIZE = { width: 1200, height: 630 } as const;

/** Characters of a text in a tag; longer ones are shortened. */
const MAX_CHARACTERS = 200;

const TITLE = /<title>[^<]*<\/title>/;

/**
 * The file of all pages with the title of one, and tags that sites and messengers read where somebody posts its address.
 * @param page public origin, and path of the page.
 */
export function withTags(
  html: string,
  { label, title, figure, detail, merchant }: ShareSubject,
  page: { readonly origin: string; readonly path: string },
): string {
  const name = shortened(title);
  const description = shortened(`${figure} · ${merchant} · ${detail}`);
  const tags = {
    'og:type': 'website',
    'og:site_name': 'Tributary',
    'og:title': name,
    'og:description': description,
    'og:url': `${page.origin}${page.path}`,
    'og:image': `${page.origin}${cardPathOf(page.path)}`,
    'og:image:type': 'image/png',
    'og:image:width': String(CARD_SIZE.width),
    'og:image:height': String(CARD_SIZE.height),
    'og:image:alt': `${label}: ${name}, ${figure}`,
  };
  const twitter = { 'twitter:card': 'summary_large_image' };
  const lines = [
    ...Object.entries(tags).map(([property, text]) => metaTag('property', property, text)),
    ...Object.entries(twitter).map(([property, text]) => metaTag('name', property, text)),
  ];
  // Functions, because a text can contain what `replace` takes for a pattern, such as `$&`.
  return html
    .replace(TITLE, () => `<title>${escaped(name)} · Tributary</title>`)
    .replace('</head>', () => `${lines.join('\n')}\n</head>`);
}

/** A `<meta>` tag whose content is escaped. */
export function metaTag(kind: 'name' | 'property', name: string, content: string): string {
  return `<meta ${kind}="${name}" content="${escaped(content)}" />`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text for a tag: nothing of it ends the tag, acts, or hides. */
function escaped(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** A text of at most so many characters; a longer one ends in `…`. */
export function shortened(text: string, max = MAX_CHARACTERS): string {
  const characters = [...text];
  if (characters.length <= max) return text;
  return `${characters
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}
