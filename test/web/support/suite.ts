import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createTestClient, http } from 'viem';
import { getBlockNumber } from 'viem/actions';
import { foundry } from 'viem/chains';
import { afterAll, afterEach, beforeAll, describe, inject } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { type OpenPage, type PageOptions, startBrowser, type TestBrowser } from './browser.ts';
import { findChromium } from './chromium.ts';
import { ledgerAgain, type SampleSite, sampleSite, settledRoot } from './sample-site.ts';

/** Milliseconds that a file waits for its turn: for the sample, and for the files before it. */
const QUEUE_MS = 600_000;

/** Characters of a page in a report. */
const MAX_CONTENTS = 2000;

/** Input of a browser test: the sample's site, and pages of it. */
export interface Site {
  /** The running sample; there from the first test on. */
  readonly sample: SampleSite;
  /** Opens an address of the site. The page is closed, and its errors are checked, after the test. */
  open(path: string, options?: PageOptions): Promise<OpenPage>;
  /**
   * Does something that changes the chain, and then reverts the chain and waits until the ledger is as before. The
   * test's pages are left first, because an open page would read what is no longer there.
   */
  reverting(work: () => Promise<void>): Promise<void>;
}

/**
 * Tests in a real browser, on the sample. After each test every page that it opened must have
 * reported no error and had no request fail, except those that `expectError` announced.
 */
export function describeInBrowser(name: string, tests: (site: Site) => void): void {
  const hasChromium = findChromium() !== undefined;
  const title = hasChromium
    ? name
    : `${name} (skipped: no Chromium is installed; .ci/run installs it)`;
  describe.skipIf(!hasChromium)(title, () => {
    let browser: TestBrowser | undefined;
    let sample: SampleSite | undefined;
    const opened: OpenPage[] = [];

    beforeAll(async () => {
      sample = await sampleSite();
      await waitFor(lock, { what: 'the other browser tests', timeout: QUEUE_MS, interval: 100 });
      browser = await startBrowser(sample.url);
    }, QUEUE_MS * 2);

    afterEach(async ({ task }) => {
      const pages = opened.splice(0);
      if (task.result?.state === 'fail') {
        for (const { page } of pages) process.stderr.write(`${await contentsOf(page)}\n`);
      }
      await Promise.all(pages.map((page) => page.close()));
      for (const page of pages) page.expectNoErrors();
    });

    afterAll(async () => {
      await browser?.stop();
      await unlock();
    });

    tests({
      get sample() {
        return given(sample);
      },
      async open(path, options) {
        const page = await given(browser).open(path, options);
        opened.push(page);
        return page;
      },
      async reverting(work) {
        const { rpcUrl, url } = given(sample);
        const chain = createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) });
        const before = await settledRoot(url);
        const id = await chain.snapshot();
        try {
          await work();
        } finally {
          await Promise.all(opened.map(({ page }) => page.goto('about:blank')));
          // A ledger that has none of the blocks yet would look as it was, and roll back later.
          const head = await getBlockNumber(chain, { cacheTime: 0 });
          await waitFor(async () => (await settledRoot(url)).block >= head, {
            what: 'the ledger with all that the test did',
          });
          await chain.revert({ id });
          await ledgerAgain(url, before);
        }
      },
    });
  });
}

/** Where a page is and the beginning of what it shows, its fields included, for the report of a test that failed. */
async function contentsOf(page: Page): Promise<string> {
  const text = await page.locator('body').ariaSnapshot({ timeout: 1000 }).catch(String);
  return `The page was at ${page.url()}:\n${text.slice(0, MAX_CONTENTS)}`;
}

/** One file at a time has the sample: one moves the chain back and forth, and two browsers crowd. */
async function lock(): Promise<boolean> {
  return await mkdir(lockPath()).then(
    () => true,
    () => false,
  );
}

async function unlock(): Promise<void> {
  await rm(lockPath(), { recursive: true, force: true });
}

function lockPath(): string {
  return join(inject('sampleFolder'), 'turn');
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the browser tests have not started');
  return value;
}
