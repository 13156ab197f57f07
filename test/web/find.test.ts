import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { saleLike } from './support/receipts.ts';
import { describeInBrowser } from './support/suite.ts';

const displays = [
  [1280, 'light'],
  [320, 'dark'],
] as const;

const box = (page: Page) => page.getByRole('combobox', { name: 'Search' });

/** Types a text into the search of the header, and confirms it. */
async function searchFor(page: Page, text: string): Promise<void> {
  await box(page).fill(text);
  await box(page).press('Enter');
}

describeInBrowser('Find and browse', (site) => {
  it('lists campaigns with filters that are in the address', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { data: active } = await api.campaigns.list({ status: 'active', sort: 'reward' });
    const { page } = await site.open('/campaigns');
    await page.getByRole('link', { name: 'Campaigns' }).first().waitFor();
    await page.getByLabel('Status').selectOption('active');
    await page.getByLabel('Sort by').selectOption('reward');
    await page.waitForURL('**/campaigns?status=active&sort=reward');
    await page.getByText(`${active.total} campaigns`).waitFor();
    const table = page.getByRole('table', { name: 'Campaigns' });
    const shown = async () => await table.getByRole('rowheader').allTextContents();
    const titles = active.items.map(({ product }) => product.title);
    expect(await shown()).toEqual(titles.map((title) => expect.stringContaining(title)));
    await page.reload();
    await page.getByText(`${active.total} campaigns`).waitFor();
    await page.getByLabel('Words').fill('no such words');
    await page.getByText('No campaign matches.').waitFor();
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL('**/campaigns');
    await table.waitFor();
    await table.getByRole('rowheader').first().getByRole('link').click();
    await page.waitForURL(/campaigns\/\d+$/);
    const crumbs = page.getByRole('navigation', { name: 'Breadcrumbs' });
    await crumbs.getByRole('link', { name: 'Campaigns' }).click();
    await page.waitForURL('**/campaigns');
  });

  it.each([
    ['/campaigns', 'Campaigns'],
    ['/distributors', 'Distributors, the best record first'],
    ['/merchants', 'Merchants, by name'],
    ['/sales', 'Sales'],
  ])('shows %s as a table, accessibly and without overflow', async (path, caption) => {
    for (const [width, scheme] of displays) {
      const { page } = await site.open(path, { width, scheme });
      await page.getByRole('table', { name: caption, exact: true }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `list${path.replace('/', '-')}-${width}-${scheme}`);
    }
  });

  it('shows each product that is sold now once, with its picture and its campaigns', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { items } = (await api.campaigns.list({ status: 'active', limit: 100 })).data;
    const products = new Set(items.map(({ product }) => product.id));
    for (const [width, scheme] of displays) {
      const { page } = await site.open('/products', { width, scheme });
      await page.getByText(`${products.size} products`).waitFor();
      const cards = page.getByRole('list', { name: 'Products' }).getByRole('heading');
      expect(await cards.count()).toBe(products.size);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `products-${width}-${scheme}`);
    }
  });

  it('filters sales by campaign and state, and leads to the receipt and to its neighbours', async () => {
    const { campaignId } = await saleLike(site.sample, {
      listed: ({ state }) => state === 'refunded',
    });
    const { page } = await site.open('/sales');
    const table = page.getByRole('table', { name: 'Sales', exact: true });
    await table.waitFor();
    expect(await table.getByRole('rowheader').count()).toBe(25);
    await page.getByRole('button', { name: 'Load more' }).click();
    await expect.poll(() => table.getByRole('rowheader').count()).toBe(50);
    await page.getByLabel('Campaign', { exact: true }).selectOption(campaignId);
    await page.getByLabel('State').selectOption('refunded');
    await page.waitForURL(`**/sales?campaign=${campaignId}&state=refunded`);
    await table.waitFor();
    const link = table.getByRole('rowheader').first().getByRole('link');
    const saleId = Number((await link.textContent())?.replace(/\D/g, ''));
    await link.click();
    await page.waitForURL(`**/receipts/31337/${saleId}`);
    const others = page.getByRole('navigation', { name: 'Other sales' });
    await others.getByRole('link', { name: 'Previous' }).click();
    await page.waitForURL(`**/receipts/31337/${saleId - 1}`);
    await others.getByRole('link', { name: 'Sales' }).click();
    await page.waitForURL('**/sales');
  });

  it('sorts sales by a heading, filters them by price and day, saves the filter, and saves the rows', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { page, expectError } = await site.open('/sales');
    expectError(/400/);
    const table = page.getByRole('table', { name: 'Sales', exact: true });
    const first = async () => (await table.getByRole('rowheader').first().textContent()) ?? '';
    const price = table.getByRole('columnheader', { name: 'Price' });
    await price.getByRole('button').click();
    await page.waitForURL('**/sales?order=highest');
    const [dearest] = (await api.receipts.recent({ order: 'highest', limit: 1 })).data.items;
    await expect.poll(first).toContain(`#${dearest?.saleId}`);
    expect(await price.getAttribute('aria-sort')).toBe('descending');
    await price.getByRole('button').press('Enter');
    await page.waitForURL('**/sales?order=lowest');
    await expect.poll(() => price.getAttribute('aria-sort')).toBe('ascending');
    await page.getByLabel('Price from').fill('a lot');
    await page.getByText('must be a number such as 12.5').waitFor();
    await page.getByLabel('Price from').fill('60');
    await page.getByLabel('From (UTC)').fill('2020-01-01');
    await page.waitForURL('**/sales?order=lowest&min=60&from=2020-01-01');
    const query = { order: 'lowest', paidMin: '60' } as const;
    const expected = (await api.receipts.recent({ ...query, limit: 100 })).data;
    await expect.poll(first).toContain(`#${expected.items[0]?.saleId}`);

    await page.getByRole('button', { name: 'Save this filter' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Large sales');
    await page.keyboard.press('Enter');
    const saved = page.getByRole('button', { name: 'Large sales', exact: true });
    expect(await saved.getAttribute('aria-pressed')).toBe('true');
    await seeAccessible(page);
    await screenshot(page, 'sales-filtered-1280-light');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.waitForURL('**/sales');
    await page.reload();
    await saved.click();
    await page.waitForURL('**/sales?from=2020-01-01&min=60&order=lowest');

    const button = page.getByRole('button', { name: 'Download as CSV' });
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toMatch(/^sales-[0-9-]+[.]csv$/);
    const file = await readFile(await download.path());
    // Spreadsheets read a file with this mark as UTF-8.
    expect([...file.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
    const lines = file.toString('utf8').trim().split('\r\n');
    await page.getByText(`is saved, with ${lines.length - 1} row`).waitFor();
    expect(lines[1]).toMatch(new RegExp(`^${expected.items[0]?.saleId},`));
    expect(lines.length).toBeGreaterThan(2);
  });

  it('leads from a receipt to its buyer, transaction and block, and on', async () => {
    const sale = await saleLike(site.sample, { listed: ({ nodeId }) => nodeId !== null });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`);
    const buyers = page.locator(`a[href="/buyers/${sale.buyer}"]`);
    await buyers.first().click();
    const bought = page.getByRole('table', { name: 'What the account bought, newest first' });
    await bought.waitFor();
    await bought.getByRole('link', { name: `#${sale.saleId}`, exact: true }).waitFor();
    await seeAccessible(page);
    await page.goBack();
    await page.getByRole('link', { name: 'Details', exact: true }).click();
    await page.locator(`a[href="/transactions/${sale.tx.hash}"]`).first().click();
    await page.getByText('Its events are in the ledger.').waitFor();
    const events = page.getByRole('table', { name: 'Events of the transaction' });
    await events.getByRole('rowheader', { name: 'Sale recorded' }).waitFor();
    await seeAccessible(page);
    await page.locator(`a[href="/blocks/${sale.tx.blockNumber}"]`).click();
    const ofBlock = page.getByRole('table', { name: 'Events of the block' });
    await ofBlock.waitFor();
    await seeAccessible(page);
    await screenshot(page, 'block-1280-light');
    await ofBlock
      .getByRole('link', { name: `#${sale.saleId}` })
      .first()
      .click();
    await page.waitForURL(`**/receipts/31337/${sale.saleId}`);
  });

  it('finds as one types: "/" leads to the search, results come by kind, arrows and Enter open one', async () => {
    const { page } = await site.open('/status');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('harbor');
    const merchants = page.getByRole('group', { name: 'Merchants' });
    await merchants.getByRole('option', { name: /Harbor Roasters/ }).waitFor();
    await page.getByRole('group', { name: 'Campaigns' }).waitFor();
    await seeAccessible(page);
    await screenshot(page, 'search-1280-light');
    while ((await merchants.locator('[data-highlighted]').count()) === 0) {
      await page.keyboard.press('ArrowDown');
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/merchants/harbor-roasters');
    expect(await box(page).inputValue()).toBe('');
  });

  it('keeps the order of keys that are pressed while the list of results arrives', async () => {
    const { page } = await site.open('/status');
    await page.getByRole('heading', { level: 1 }).waitFor();
    // A busy page: React renders what is not urgent a second later, and keys come before.
    await page.evaluate(`{
      const post = MessagePort.prototype.postMessage;
      MessagePort.prototype.postMessage = function (...all) {
        setTimeout(() => post.apply(this, all), 1_000);
      };
    }`);
    const arrives = page.waitForResponse('**/assets/result-list-*.js');
    await page.keyboard.press('/');
    const list = await arrives;
    await page.evaluate(`import(${JSON.stringify(list.url())}).then(() => {})`);
    await page.keyboard.type('#578');
    expect(await box(page).inputValue()).toBe('#578');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/receipts/31337/578');
  });

  it('waits with the list of results for a text that is being composed', async () => {
    const { page } = await site.open('/status');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const keyboard = await page.context().newCDPSession(page);
    const compose = async (text: string) => {
      await keyboard.send('Input.imeSetComposition', {
        text,
        selectionStart: text.length,
        selectionEnd: text.length,
      });
    };
    let arrive = () => {};
    const mayArrive = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    await page.route('**/assets/result-list-*.js', async (route) => {
      await mayArrive;
      await route.continue();
    });
    const arrives = page.waitForResponse('**/assets/result-list-*.js');
    await page.keyboard.press('/');
    await compose('k');
    arrive();
    const list = await arrives;
    await page.evaluate(`import(${JSON.stringify(list.url())}).then(() => {})`);
    await compose('か');
    await compose('かn');
    await keyboard.send('Input.insertText', { text: '缶' });
    expect(await box(page).inputValue()).toBe('缶');
    await page.getByText('Nothing found.').waitFor();
  });

  it.each([
    ['#578', '/receipts/31337/578'],
    ['sale 578', '/receipts/31337/578'],
    ['campaign 7', '/campaigns/7'],
    ['block 20', '/blocks/20'],
    ['@north-wind', '/distributors/north-wind'],
    ['@quiet-river', '/distributors/quiet-river'],
  ])('opens the page of %s', async (text, path) => {
    const { page } = await site.open('/search');
    await searchFor(page, text);
    await page.waitForURL(`**${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  });

  it('opens what a code, a hash or an address names, and lists what a number can be', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { data: link } = await api.links.get({ nodeId: '100' });
    const sale = await saleLike(site.sample, {});
    const { page } = await site.open(`/search?q=${link.code}`);
    await page.waitForURL(`**/campaigns/${link.campaign.campaignId}?node=100`);
    await searchFor(page, sale.tx.hash);
    await page.waitForURL(`**/transactions/${sale.tx.hash}`);
    await searchFor(page, link.owner);
    await page.waitForURL(`**/distributors/${link.owner}`);
    await searchFor(page, '7');
    const main = page.getByRole('main');
    for (const name of [/^#7 · /, 'Link 7', 'Block 7']) {
      await main.getByRole('link', { name, exact: true }).waitFor();
    }
    await seeAccessible(page);
    await searchFor(page, sale.tx.hash.slice(0, 12));
    await page.waitForURL(`**/transactions/${sale.tx.hash}`);
    await searchFor(page, link.owner.slice(0, 10));
    await page.waitForURL(`**/distributors/${link.owner}`);
  });

  it('finds names as people type them, words of descriptions, and mistyped names', async () => {
    const { page } = await site.open('/search');
    await searchFor(page, 'north wind');
    await page.waitForURL('**/distributors/north-wind');
    await searchFor(page, 'coffee');
    const main = page.getByRole('main');
    await main.getByRole('heading', { name: 'Products' }).waitFor();
    await seeAccessible(page);
    await screenshot(page, 'search-coffee-1280-light');
    await page.setViewportSize({ width: 390, height: 844 });
    await screenshot(page, 'search-coffee-390-light');
    await searchFor(page, 'meridian prss');
    await page.getByText('Nothing is named meridian prss. Similar names:').waitFor();
    await main
      .getByRole('link', { name: /Meridian Press/ })
      .first()
      .waitFor();
    await seeNoOverflow(page);
    await searchFor(page, '0x3a');
    await page.getByText('Type at least 4 digits').waitFor();
  });

  it('says that nothing was found, and that a code was mistyped', async () => {
    const { page } = await site.open('/search?q=no-such-thing', { width: 320, scheme: 'dark' });
    await page.getByText('Nothing found for no-such-thing').waitFor();
    await seeNoOverflow(page);
    await searchFor(page, '2ZNX');
    await page.getByText('If this is a referral code, it was mistyped').waitFor();
    await seeAccessible(page);
  });

  it('says what is wrong with an address that cannot exist, and offers no retry', async () => {
    const { page, expectError } = await site.open('/campaigns/abc');
    expectError(/400/);
    await page.getByRole('heading', { name: 'Campaign abc cannot exist' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    for (const path of ['/buyers/me', '/transactions/0x12', '/blocks/-1', '/blocks/999999999']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
    }
  });

  it('shows the menu behind a button on a phone', async () => {
    const { page } = await site.open('/glossary', { width: 320 });
    const menu = page.getByRole('navigation', { name: 'Main' });
    expect(await menu.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await screenshot(page, 'menu-320-light');
    await menu.getByRole('link', { name: 'Shop' }).click();
    await page.getByRole('heading', { level: 1, name: 'Products' }).waitFor();
    expect(await menu.isVisible()).toBe(false);
  });
});
