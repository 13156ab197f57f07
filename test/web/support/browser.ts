import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { findChromium } from './chromium.ts';

const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The graph is drawn by WebGL, and there is no graphics card.
  '--enable-unsafe-swiftshader',
];

/** Options for opening a page. */
export interface PageOptions {
  /** CSS pixels; default 1280. */
  readonly width?: number;
  /** Default `light`. */
  readonly scheme?: 'light' | 'dark';
  /** Done before the page is asked for: answers to intercept. */
  readonly prepare?: (page: Page) => Promise<void>;
}

/** A page under test, and everything that went wrong in it. */
export interface OpenPage {
  readonly page: Page;
  /** Expects one kind of error: the test causes it on purpose. */
  expectError(pattern: RegExp): void;
  /** Fails where the page reported an error, or a request of it failed. */
  expectNoErrors(): void;
  close(): Promise<void>;
}

/** A browser with nothing in it yet. */
export interface TestBrowser {
  /** Opens a page, at an address of the site. */
  open(path: string, options?: PageOptions): Promise<OpenPage>;
  stop(): Promise<void>;
}

/** Starts Chromium with an empty profile, for one test file. */
export async function startBrowser(siteUrl: string): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'tributary-browser-'));
  const browser = await chromium.launch({
    executablePath: findChromium() ?? '',
    args: [...ARGS],
    env: { HOME: profile, PATH: '/usr/bin:/bin' },
  });
  return {
    async open(path, { width = 1280, scheme = 'light', prepare } = {}) {
      const context = await browser.newContext({
        viewport: { width, height: 900 },
        colorScheme: scheme,
        baseURL: siteUrl,
        timezoneId: 'UTC',
        reducedMotion: 'reduce',
      });
      const opened = watch(context, await context.newPage());
      await prepare?.(opened.page);
      await opened.page.goto(path);
      return opened;
    },
    async stop() {
      await browser.close();
      await rm(profile, { recursive: true, force: true });
    },
  };
}

function watch(context: BrowserContext, page: Page): OpenPage {
  const errors: string[] = [];
  const expected: RegExp[] = [];
  page.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    // Without a graphics card, the driver complains about reading pixels of the graph.
    if (message.text().includes('GL Driver Message')) return;
    errors.push(`${message.type()}: ${message.text()} (${message.location().url})`);
  });
  page.on('pageerror', (error) => errors.push(`error: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400) errors.push(`HTTP ${response.status()}: ${response.url()}`);
  });
  page.on('requestfailed', (request) => {
    const reason = request.failure()?.errorText ?? '';
    // The page itself cancels a request that no component waits for any more.
    if (reason !== 'net::ERR_ABORTED') errors.push(`${reason}: ${request.url()}`);
  });
  return {
    page,
    expectError: (pattern) => expected.push(pattern),
    expectNoErrors() {
      const left = errors.filter((one) => !expected.some((pattern) => pattern.test(one)));
      expect(left).toEqual([]);
    },
    async close() {
      // A request that a test intercepts may still be on its way.
      if (!page.isClosed()) await page.unrouteAll({ behavior: 'ignoreErrors' });
      await context.close();
    },
  };
}

const require = createRequire(import.meta.url);

/** Fails where axe finds anything against WCAG 2.2 A and AA, or its best practices. */
export async function seeAccessible(page: Page): Promise<void> {
  // What surrounds a page is there before the page, whose script is loaded on its own.
  await page.locator('h1').first().waitFor({ state: 'attached' });
  const source = await readFile(require.resolve('axe-core/axe.min.js'), 'utf8');
  // As the browser's tools would: the page's own policy lets no foreign script in.
  await page.evaluate(source);
  const found = await page.evaluate<Violation[]>(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html).slice(0, 3) })))`,
  );
  expect(found).toEqual([]);
}

interface Violation {
  readonly id: string;
  readonly at: readonly string[];
}

/** Fails where a page is wider than the window. */
export async function seeNoOverflow(page: Page): Promise<void> {
  const wide = await page.evaluate<string[]>(
    `document.documentElement.scrollWidth <= document.documentElement.clientWidth ? [] :
      [...document.querySelectorAll('body *')]
        .filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
        .filter((node) => node.closest('nav, [role=tablist]') === null)
        .map((node) => node.outerHTML.slice(0, 120)).slice(0, 5)`,
  );
  expect(wide).toEqual([]);
}

/** Saves a screenshot in the folder that SCREENSHOTS names, if it is set. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
