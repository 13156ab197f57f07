import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { describeInBrowser } from './support/suite.ts';

/** Largest sum of layout shifts of a load, as web.dev/cls adds them up. */
const MAX_SHIFT = 0.05;

/** Longer than it takes to look names up. */
const NAMES_MS = 1_500;

/** Adds up how far the content of a page jumps while it loads, and names what jumped. */
const OBSERVE = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      window.shifts.push({ value, of: sources.map(({ node }) => node?.textContent?.slice(0, 60) ?? '') });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

describeInBrowser('The first load of a page', (site) => {
  it.each([
    '/',
    '/receipts/31337/577',
    '/campaigns',
    '/sales',
    '/products',
    '/campaigns/1',
    '/status',
    `/r/${encodeReferralCode('1')}`,
  ])('moves nothing that is shown at %s', async (path) => {
    for (const width of [1280, 390]) {
      const { page } = await site.open(path, { width, prepare: observe });
      await seeNoShifts(page);
    }
  });

  it.each([
    ['merchant', '/console'],
    ['merchant', '/console/orders'],
    ['partner', '/me'],
    ['partner', '/me?tab=links'],
  ])('moves nothing that a %s sees at %s', async (role, path) => {
    for (const width of [1280, 390]) {
      const { page, expectError } = await site.open('/me', { width });
      // Without a session, the page learns so by a 401.
      expectError(/401/);
      await page.getByRole('button', { name: `Try as ${role}` }).click();
      await page.getByRole('complementary', { name: 'Demo' }).waitFor();
      await observe(page);
      await page.goto(path);
      await seeNoShifts(page);
    }
  });
});

/** Adds up shifts from the next load on, in which answers arrive one after the other, as over a slow network. */
async function observe(page: Page): Promise<void> {
  await page.addInitScript(OBSERVE);
  let answers = 0;
  await page.route('**/v1/**', async (route) => {
    answers += 1;
    const after = answers * 60;
    await new Promise((resolve) => setTimeout(resolve, after));
    await route.continue();
  });
}

async function seeNoShifts(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.getByText(/^Loading /).count(), { timeout: 10_000 }).toBe(0);
  // Names of accounts are looked up after the accounts are shown.
  await page.evaluate(`new Promise((resolve) => setTimeout(resolve, ${NAMES_MS}))`);
  const shifts = await shiftsOf(page);
  const sum = shifts.reduce((so, { value }) => so + value, 0);
  expect(sum, JSON.stringify(shifts)).toBeLessThanOrEqual(MAX_SHIFT);
}

async function shiftsOf(page: Page): Promise<readonly { readonly value: number }[]> {
  return await page.evaluate('window.shifts');
}
