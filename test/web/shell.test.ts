import { expect, it } from 'vitest';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';

describeInBrowser('Every page of the site', (site) => {
  it('shows a 404 page for an unknown address', async () => {
    const { page, expectError } = await site.open('/nowhere', { width: 320 });
    expectError(/404/);
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
  });

  it('remembers the chosen theme and paints it first', async () => {
    const { page } = await site.open('/bundle', { scheme: 'light' });
    const paper = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const light = await paper();
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Use the dark theme' }).click();
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload({ waitUntil: 'commit' });
    await page.locator('body').waitFor({ state: 'attached' });
    // Nothing is painted before the style sheet is there, and then no other theme.
    await expect.poll(paper, { interval: 5 }).not.toBe('rgba(0, 0, 0, 0)');
    expect(await paper()).toBe(dark);
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('button', { name: 'Use the light theme' }).waitFor();
  });

  it('moves the focus to the page, its title and its heading, from page to page', async () => {
    const { page } = await site.open('/');
    await page.getByRole('link', { name: 'Check a bundle' }).click();
    await page.getByRole('heading', { level: 1, name: 'Check a bundle' }).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    expect(await page.title()).toBe('Check a bundle · Tributary');
    await page.goBack();
    await page
      .getByRole('heading', { level: 1, name: /^Pay the people who sell for you/ })
      .waitFor();
  });

  it('shows a menu of its own to buyers, distributors and merchants', async () => {
    for (const width of [1280, 320]) {
      const { page, expectError } = await site.open('/', { width });
      expectError(/401/);
      const open = async () => {
        if (width === 320) await page.getByRole('button', { name: 'Menu' }).click();
      };
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      await open();
      expect(await links.allTextContents()).toEqual(['Shop', 'Earn', 'Sell', 'Explore']);
      await links.getByText('Sell').click();
      await page.getByRole('heading', { level: 1 }).waitFor();
      await open();
      expect(await links.allTextContents()).toEqual(['Console', 'Shop']);
      await page.getByRole('button', { name: 'Account' }).click();
      const menu = page.getByRole('navigation', { name: 'Account' });
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `account-menu-${width}`);
      await menu.getByRole('link', { name: 'Earn with links' }).click();
      await page.waitForURL('**/me');
      await menu.waitFor({ state: 'hidden' });
    }
  });

  it('writes amounts as the reader chose, on every page', async () => {
    const { page } = await site.open('/receipts/31337/578');
    const price = page.locator('data').first();
    await price.waitFor();
    const texts: (string | null)[] = [];
    for (const name of ['in base units', 'with all decimals', 'with two decimals']) {
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByLabel('Amounts').selectOption(name);
      await page.keyboard.press('Escape');
      texts.push(await price.textContent());
    }
    expect(texts.map((text) => text?.replace(/[\u202f\s]/g, ''))).toEqual([
      '64000000baseunitsofTUSD',
      '64.00TUSD',
      '64.00TUSD',
    ]);
  });

  it('says what it needs if scripts are disabled', async () => {
    const html = await (await fetch(site.sample.url)).text();
    expect(html).toMatch(/<noscript>[\s\S]*need JavaScript[\s\S]*<\/noscript>/);
  });

  it('shows a banner when the service needs attention, with the lag', async () => {
    const { page } = await site.open('/bundle', {
      prepare: async (fresh) => {
        await fresh.route('**/v1/system/status', async (route) => {
          const reply = await (await route.fetch()).json();
          const { data } = reply;
          Object.assign(data, { status: 'attention', alarms: ['The RPC is silent.'] });
          data.lag.total = 12;
          await route.fulfill({ json: reply });
        });
      },
    });
    await page.getByText('The RPC is silent.').waitFor();
    await page.getByText(/The chain is 12 blocks further/).waitFor();
    await seeAccessible(page);
  });
});
