// Brings the catalogues of the pages' texts, web/texts/*.po, up to date with their source. `--check` only compares.
import { readFileSync, writeFileSync } from 'node:fs';
import { type Language, languages } from '../engine/contract/languages.ts';
import { catalogueOf, comparedTexts, renewed, withoutTranslation } from '../web/texts/catalogue.ts';

const isCheck = process.argv.includes('--check');

for (const language of Object.keys(languages) as Language[]) {
  if (language === 'en') continue;
  const path = catalogueOf(language);
  const old = readFileSync(path, 'utf8');
  const now = renewed(language, old);
  const missing = withoutTranslation(now);
  if (now !== old && isCheck) {
    console.error(`${path} is not that of the pages: run npm run texts.`);
    process.exitCode = 1;
  }
  if (!isCheck) writeFileSync(path, now);
  console.log(`${languages[language]}: ${missing.length} texts without a translation`);
  for (const text of missing.slice(0, 10)) console.log(`  ${text}`);
}

for (const text of comparedTexts()) {
  console.error(
    `${text}: a page compares this text. Compare a name of the program, which no language changes.`,
  );
  process.exitCode = 1;
}
