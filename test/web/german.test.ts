import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../../engine/cli/stack/processes.ts';
import { LANGUAGE_COOKIE } from '../../engine/contract/languages.ts';
import { actorsOf, merchantOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { allMessages, isSource, translationsOf } from '../../web/texts/catalogue.ts';
import { replaceTexts } from '../../web/texts/messages.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

const publicPages = [
  '/',
  '/campaigns',
  '/campaigns/1',
  '/products',
  '/sales',
  '/distributors',
  '/merchants',
  '/merchants/harbor-roasters',
  '/receipts/31337/577',
  '/search?q=harbor',
  '/glossary',
  '/status',
  '/bundle',
];

const ownPages = ['/me', '/me?tab=earnings', '/me?tab=profile', '/me/join', '/me/purchases'];

const consolePages = [
  ...['', '/orders', '/products', '/campaigns', '/partners', '/disputes', '/vault', '/analytics'],
  ...['/reports', '/webhooks', '/keys', '/team', '/settings', '/invitations'],
].map((section) => `/console${section}`);

describeInBrowser('The pages in German', (site) => {
  const { privateKey: harbor } = merchantOf(SAMPLE_SEED, 'harbor-roasters');
  const [distributor] = actorsOf(SAMPLE_SEED).distributors;

  it.each([
    ['everybody', publicPages, undefined],
    ['partners', ownPages, distributor?.privateKey],
    ['merchants', consolePages, harbor],
  ] as const)('shows no English to %s, and fits on a phone', async (who, paths, privateKey) => {
    const { page, expectError } = await site.open('about:blank', {
      width: 390,
      prepare: async (fresh) => {
        const { rpcUrl, url } = site.sample;
        if (privateKey) await giveWallet(fresh, { privateKey, rpcUrl });
        await fresh.context().addCookies([{ name: LANGUAGE_COOKIE, value: 'de', url }]);
      },
    });
    expectError(/401/);
    const english: string[] = [];
    for (const [i, path] of paths.entries()) {
      await page.goto(path);
      if (privateKey && i === 0) {
        await page.getByRole('button', { name: 'Anmelden' }).click();
        await page.getByRole('button', { name: /^Konto: / }).waitFor();
        await page.reload();
      }
      await page.getByRole('heading', { level: 1 }).waitFor();
      await expect.poll(() => page.getByText(/wird geladen/i).count()).toBe(0);
      expect(await page.evaluate('document.documentElement.lang')).toBe('de');
      english.push(...(await englishOn(page)).map((text) => `${path}: ${text}`));
      await seeNoOverflow(page);
      await screenshot(page, `german-${who}-${i}`);
    }
    expect([...new Set(english)]).toEqual([]);
    await seeAccessible(page);
  });

  it('follow the choice in the account menu, and back', async () => {
    const { page } = await site.open('/glossary');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByLabel('Language').selectOption({ label: 'Deutsch' });
    await page.getByRole('heading', { level: 1, name: 'Glossar' }).waitFor();
    await page.goto('/status');
    await page.getByRole('button', { name: 'Konto' }).click();
    await page.getByLabel('Sprache').selectOption({ label: 'English' });
    await page.getByRole('button', { name: 'Account' }).waitFor();
  });
});

describe('A page in another language', () => {
  it('compiles with its types, so no text is a value that the program uses', async () => {
    const folder = await mkdtemp(join(projectRoot, 'web', 'translated-'));
    try {
      await cp(join(projectRoot, 'web', 'src'), folder, {
        recursive: true,
        filter: async (from, to) => {
          if (!isSource(from)) return !from.endsWith('.test.ts');
          const foreign = replaceTexts(from, await readFile(from, 'utf8'), ({ text, plural }) =>
            plural === undefined ? [`«${text}»`] : [`«${text}»`, `«${plural}»`],
          );
          await writeFile(to, foreign);
          return false;
        },
      });
      const config = join(folder, 'tsconfig.json');
      const options = { incremental: false };
      await writeFile(
        config,
        JSON.stringify({ extends: '../tsconfig.json', include: ['.'], compilerOptions: options }),
      );
      const compiler = join(projectRoot, 'node_modules', 'typescript-native', 'bin', 'tsc');
      const run = promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', config]);
      expect(await run.catch(({ stdout }: { stdout: string }) => ({ stdout }))).toMatchObject({
        stdout: '',
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});

/** Texts of the catalogue that a page shows or says in English, although there is German for them. */
async function englishOn(page: Page): Promise<string[]> {
  const shown = await page.evaluate<string[]>(`[...document.querySelectorAll('body *')]
    .filter((node) => node.closest('[lang]') === document.documentElement && !node.closest('script, noscript, style, code'))
    .flatMap((node) => [
      ...[...node.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data),
      ...['aria-label', 'title', 'placeholder', 'alt'].map((name) => node.getAttribute(name) ?? ''),
    ])
    .map((text) => text.trim())`);
  return shown.filter((text) => text !== '' && isEnglish(text));
}

const german = translationsOf('de');
const messages = allMessages();

function isEnglish(text: string): boolean {
  const message = messages.get(text);
  const translated = message && german(message);
  return translated !== undefined && translated[0] !== text;
}
