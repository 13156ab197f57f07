/** The catalogue of all texts, and their translations: PO files (GNU gettext), one for each language. */
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import PO from 'pofile';
import {
  comparedIn,
  type Message,
  messagesOf,
  placeholdersOf,
  type Translate,
} from './messages.ts';
import { shownNames } from './names.ts';

/** Folder of `web`. */
const web = fileURLToPath(new URL('..', import.meta.url));

/** Sources with texts of pages. */
const SOURCES = 'src/**/*.{ts,tsx}';

/** Texts that a wallet signs: they are the same for every reader, in letters that EIP-4361 allows. */
const SIGNED = join(web, 'src', 'account', 'confirm-statement.ts');

/** True for the path of a source file with texts of pages. */
export function isSource(path: string): boolean {
  return (
    path.startsWith(join(web, 'src')) && path !== SIGNED && /(?<![.]test|[.]d)[.]tsx?$/.test(path)
  );
}

/** Where the names of the API are shown, for translators. */
const TRANSLATION = 'translation.ts';

/** A text, and the files that have it, relative to `web/src`. */
interface Entry extends Message {
  readonly files: Set<string>;
}

/** Every text of the pages, once. */
export function allMessages(): Map<string, Entry> {
  const all = new Map<string, Entry>();
  for (const text of shownNames) all.set(text, { text, files: new Set([TRANSLATION]) });
  for (const { path, name, source } of sources()) {
    for (const message of messagesOf(path, source)) {
      const key = keyOf(message);
      const entry = all.get(key) ?? { ...message, files: new Set<string>() };
      entry.files.add(name);
      all.set(key, entry);
    }
  }
  return all;
}

/**
 * Texts that a page compares with others, each with its file: in another language they are not equal. A single word
 * without a capital is a text only where nothing can compare it.
 */
export function comparedTexts(): string[] {
  const texts = allMessages();
  return sources().flatMap(({ path, name, source }) =>
    comparedIn(path, source)
      .filter((text) => texts.has(text) && /^\p{Lu}|\s/u.test(text))
      .map((text) => `${name}: ${text}`),
  );
}

/** The sources of the pages with texts, in the order of their names. */
function sources() {
  return globSync(SOURCES, { cwd: web })
    .sort()
    .map((file) => join(web, file))
    .filter(isSource)
    .map((path) => ({
      path,
      name: relative(join(web, 'src'), path),
      source: readFileSync(path, 'utf8'),
    }));
}

function keyOf({ text, plural }: Message): string {
  return plural === undefined ? text : `${text}\u0000${plural}`;
}

/** Path of the translations into a language. */
export function catalogueOf(language: string): string {
  return fileURLToPath(new URL(`${language}.po`, import.meta.url));
}

/**
 * The translations into a language, as a function of the message. A text without a translation stays English.
 * @param catalogue the content of its PO file.
 * @throws {Error} if a translation lacks a placeholder of its text: it would lose an amount or a link.
 */
export function translationsOf(
  language: string,
  catalogue = readFileSync(catalogueOf(language), 'utf8'),
): Translate {
  const { items } = PO.parse(catalogue);
  const known = new Map<string, readonly [string, string?]>();
  for (const { msgid, msgid_plural, msgstr } of items) {
    const [text = '', plural] = msgstr;
    if (text === '') continue;
    for (const one of msgstr) {
      if (placeholdersOf(one).join() === placeholdersOf(msgid).join()) continue;
      throw new Error(`${language}.po: "${one}" must have the placeholders of "${msgid}"`);
    }
    const message = { text: msgid, ...(msgid_plural && { plural: msgid_plural }) };
    known.set(keyOf(message), plural === undefined ? [text] : [text, plural]);
  }
  return (message) => known.get(keyOf(message));
}

/** Path of the file that a build in another language replaces. */
export const translationFile = join(web, 'src', TRANSLATION);

/** Its content in a language. */
export function translationIn(language: string, translate: Translate): string {
  const names = shownNames.map((name) => [name, translate({ text: name })?.[0] ?? name]);
  return `export const language = ${JSON.stringify(language)};
export const translatedNames = ${JSON.stringify(Object.fromEntries(names))};
`;
}

/** Writes the catalogue of a language again: every text of the pages once, with the translations that it has. */
export function renewed(language: string, old: string): string {
  const po = PO.parse(old);
  const before = new Map(po.items.map((item) => [keyOf(messageOf(item)), item]));
  po.items = [...allMessages()].map(([key, { text, plural, files }]) => {
    const item = new PO.Item();
    item.msgid = text;
    if (plural !== undefined) item.msgid_plural = plural;
    item.references = [...files].slice(0, 3);
    const known = before.get(key);
    item.msgstr = known?.msgstr ?? (plural === undefined ? [''] : ['', '']);
    item.comments = known?.comments ?? [];
    return item;
  });
  po.headers = {
    'Content-Type': 'text/plain; charset=UTF-8',
    'Content-Transfer-Encoding': '8bit',
    Language: language,
    'Plural-Forms': 'nplurals=2; plural=(n != 1);',
  };
  return po.toString();
}

/** Texts of a catalogue that have no translation: pages show them in English. */
export function withoutTranslation(catalogue: string): string[] {
  const { items } = PO.parse(catalogue);
  return items.filter(({ msgstr }) => msgstr.includes('')).map(({ msgid }) => msgid);
}

function messageOf({ msgid, msgid_plural }: InstanceType<typeof PO.Item>): Message {
  return { text: msgid, ...(msgid_plural && { plural: msgid_plural }) };
}
