import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { generatePrivateKey } from 'viem/accounts';
import { expect, it } from 'vitest';
import { merchantOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { picture } from '../support/png.ts';
import { type PageOptions, screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 30_000 };

const { privateKey: harbor } = merchantOf(SAMPLE_SEED, 'harbor-roasters');

describeInBrowser('The merchant console', (site) => {
  /** Opens the console with the wallet of an account, and signs in. */
  async function openConsole(privateKey: Hex, options: PageOptions = {}) {
    const { rpcUrl } = site.sample;
    const opened = await site.open('/console', {
      ...options,
      prepare: async (page) => {
        await giveWallet(page, { privateKey, rpcUrl });
      },
    });
    // Who is not signed in yet is asked after all the same.
    opened.expectError(/401/);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByRole('navigation', { name: 'Console' }).waitFor();
    return opened;
  }

  it('shows what needs an answer first, and every section on a phone', async () => {
    const { page } = await openConsole(harbor, { width: 320, scheme: 'dark' });
    await page.getByRole('table', { name: 'Refund requests that wait for you' }).waitFor();
    await page.getByText(/Spring blend is ready to sign/).waitFor();
    await page.getByText(/runs dry in about \d+ days?/).waitFor();
    await page.getByRole('table', { name: 'Money now' }).waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'console-overview-320-dark');
    for (const [name, landmark] of [
      ['Orders', 'Orders'],
      ['Partners', 'Partners'],
      ['Invitations', 'Sent invitations'],
      ['Analytics', 'By campaign'],
      ['Reports', 'Reports'],
      ['Settings', 'Close this merchant'],
    ] as const) {
      await menu(page, name);
      await page.getByRole('region', { name: landmark, exact: true }).waitFor();
      await seeNoOverflow(page);
      if (name === 'Partners' || name === 'Orders') {
        await page.getByRole('button', { name: 'Download as CSV' }).waitFor();
        await page.setViewportSize({ width: 1280, height: 900 });
        await page.getByRole('table', { name, exact: true }).getByRole('row').nth(1).waitFor();
        await seeAccessible(page);
        await screenshot(page, `console-${name.toLowerCase()}-1280-dark`);
        await page.setViewportSize({ width: 320, height: 900 });
      }
    }
  });

  it('answers a refund request, refunds, finalizes and claims the proceeds', async () => {
    await site.reverting(async () => {
      const { page } = await openConsole(harbor);
      await page
        .getByRole('row', { name: /Charged in error/ })
        .getByRole('link')
        .click();
      await page.getByText('I ordered one kit and paid for two.').waitFor();
      await page
        .getByText(/ left$/)
        .first()
        .waitFor();
      await page.getByLabel(/^Amount to refund/).fill('1.5x');
      await page.getByRole('button', { name: 'Accept' }).click();
      await page
        .getByRole('alert')
        .getByText(/decimal/)
        .waitFor();
      await page.getByLabel(/^Amount to refund/).fill('249');
      await page.getByLabel(/^Message to the buyer/).fill('You are right. Here is your money.');
      await seeAccessible(page);
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByRole('button', { name: 'Refund the buyer' }).click();
      await page.getByText('The request is closed').waitFor(PATIENCE);
      await screenshot(page, 'console-dispute-answered');

      await page
        .getByRole('link', { name: /^\d+ · / })
        .first()
        .click();
      await page.getByText('Nothing is left to refund.').waitFor(PATIENCE);
      await page.getByText(/The buyer was refunded 249/).waitFor();
      await seeAccessible(page);

      await menu(page, 'Vault and proceeds');
      await page.getByRole('table', { name: 'Movements' }).waitFor();
      await seeAccessible(page);
      const finalize = page.getByRole('button', { name: 'Finalize' });
      await openVaultWith(page, finalize);
      await finalize.click();
      const claim = page.getByRole('button', { name: 'Claim the proceeds' });
      await claim.waitFor(PATIENCE);
      await claim.click();
      await page
        .getByRole('table', { name: 'Movements' })
        .getByText('Proceeds claimed')
        .first()
        .waitFor(PATIENCE);
      await screenshot(page, 'console-vault');
    });
  });

  it('finds orders, previews a refund, and orders and downloads a report', async () => {
    const { page, expectError } = await openConsole(harbor);
    await menu(page, 'Orders');
    await page.getByLabel('State').selectOption('pending');
    const orders = page.getByRole('table', { name: 'Orders' });
    await expect.poll(() => new URL(page.url()).search).toBe('?state=pending');
    await expect.poll(() => orders.getByText('completed').count()).toBe(0);
    const found = orders.getByRole('rowheader').first().getByRole('link');
    const [number] = ((await found.textContent()) ?? '').split(' · ');
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.getByLabel(/^Number, product/).fill(`#${number}`);
    await expect.poll(() => orders.getByRole('rowheader').count()).toBe(1);
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'console-orders-1280');
    // By keyboard: the menu of the row leads to the part of the order that refunds it.
    const actions = orders.getByRole('button', { name: `Actions for order ${number}` });
    await actions.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Public receipt' }).waitFor();
    await seeAccessible(page);
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe(`Actions for order ${number}`);
    await page.keyboard.press('ArrowDown');
    await page.getByRole('menuitem', { name: 'Refund' }).waitFor();
    await page.keyboard.press('r');
    await page.keyboard.press('Enter');
    const top = async () => (await page.locator('#refund').boundingBox())?.y;
    await expect.poll(top).toBeLessThan(500);
    await page.getByLabel(/^Amount to refund/).fill('1');
    await page.getByRole('button', { name: 'Preview the refund' }).click();
    await page.getByRole('table', { name: 'What changes' }).waitFor();
    await seeAccessible(page);

    await menu(page, 'Reports');
    // A report with buyers needs a fresh signature: the first answer says so.
    expectError(/403/);
    await page.getByLabel('Rows').selectOption('sales');
    await page.getByRole('button', { name: 'Show the first rows' }).click();
    await page.getByRole('table', { name: 'Columns of the report' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await seeNoOverflow(page);
    await screenshot(page, 'console-report-preview-1280');
    const reports = page.getByRole('table', { name: 'Reports' }).getByRole('rowheader');
    const before = await reports.count();
    await page.getByRole('button', { name: 'Order', exact: true }).click();
    await expect.poll(() => reports.count(), PATIENCE).toBe(before + 1);
    const newest = page.getByRole('table', { name: 'Reports' }).getByRole('row').nth(1);
    const button = newest.getByRole('button', { name: 'Download' });
    await button.waitFor(PATIENCE);
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
    expect(download.suggestedFilename()).toMatch(/^sales-.*[.]csv$/);
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
    const rows = Number((await newest.getByRole('cell').nth(2).textContent())?.replace(/\D/g, ''));
    expect(rows).toBeGreaterThan(0);
    expect(lines).toHaveLength(rows + 1);
    await seeAccessible(page);
    await newest.getByRole('button', { name: /^Delete/ }).click();
    await expect.poll(() => reports.count(), PATIENCE).toBe(before);
  });

  it('guides an account without a profile, changes it, and closes it', async () => {
    const opened = await openConsole(generatePrivateKey(), { width: 390 });
    const { page } = opened;
    opened.expectError(/400|403|404|409|422/);
    await page.getByRole('heading', { name: 'Begin to sell' }).waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Test Bakery');
    // A readable address follows the name, until the merchant writes one.
    expect(await page.getByLabel('Address of your page').inputValue()).toBe('test-bakery');
    await page.getByText('/merchants/test-bakery').waitFor();
    await page.getByLabel('Address of your page').fill('harbor-roasters');
    await page.getByText('This address is taken.').waitFor();
    await page.getByRole('button', { name: 'Create the profile' }).click();
    await page.getByRole('alert').first().waitFor();
    await page.getByLabel('Address of your page').fill('test-bakery');
    await page.getByText('This address is free.').waitFor();
    // The refusal was of the address that is no longer there.
    await page.getByRole('alert').waitFor({ state: 'detached' });
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'console-setup-390');
    await page.getByRole('button', { name: 'Create the profile' }).click();
    await page.getByText('done', { exact: true }).waitFor();

    await menu(page, 'Settings');
    await page.getByLabel('Website').fill('not a web address');
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByRole('alert')
      .getByText(/http or https/)
      .waitFor();
    await page.getByLabel('Website').fill('https://bakery.example');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Choose a file').setInputFiles({
      name: 'logo.png',
      mimeType: 'image/png',
      buffer: Buffer.from(picture({ width: 64, height: 64 }, [90, 40, 30], [240, 220, 190])),
    });
    const logo = page.getByRole('img', { name: 'Logo of Test Bakery' });
    await logo.waitFor();
    await expect.poll(() => logo.evaluate((image) => Reflect.get(image, 'naturalWidth'))).toBe(64);
    await seeAccessible(page);
    await page.getByLabel(/to confirm$/).fill('test-bakery');
    await page.getByRole('button', { name: 'Close for good' }).click();
    await page.getByRole('region', { name: 'This merchant is closed' }).waitFor();
  });
});

/** Goes to a section by the console's menu. */
async function menu(page: Page, name: string): Promise<void> {
  const entry = page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name });
  await entry.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Opens the vaults of the campaigns, one after another, until one offers a button. */
async function openVaultWith(page: Page, button: ReturnType<Page['getByRole']>): Promise<void> {
  const links = page.getByRole('table', { name: 'Campaigns' }).getByRole('rowheader');
  await links.first().waitFor();
  const count = await links.count();
  for (let i = 0; i < count; i += 1) {
    await links.nth(i).getByRole('link').click();
    await page.getByRole('heading', { name: 'Surplus' }).waitFor(PATIENCE);
    if ((await button.count()) > 0) return;
    await page.getByRole('link', { name: 'All campaigns' }).click();
    await links.first().waitFor();
  }
  throw new Error('no campaign offers it');
}
