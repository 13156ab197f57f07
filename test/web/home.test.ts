import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { waitFor } from '../support/wait-for.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { onChain } from './support/sale-on-chain.ts';
import { describeInBrowser } from './support/suite.ts';

describeInBrowser('The home page', (site) => {
  it('shows totals and the newest receipts, accessibly', async () => {
    for (const [width, scheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      const { page } = await site.open('/', { width, scheme });
      await page.getByRole('table', { name: 'Recent receipts, newest first' }).waitFor();
      expect(await page.getByRole('row').count()).toBe(13);
      await page.getByText('live', { exact: true }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `home-${width}-${scheme}`);
    }
  });

  it('finds a sale by its number, and goes there', async () => {
    const { page, expectError } = await site.open('/');
    expectError(/404/);
    await page.getByRole('searchbox').fill('578');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL('**/receipts/31337/578');
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.title()).toContain('Tributary');
  });

  it('lists all matches of a number, and links to each', async () => {
    const { page, expectError } = await site.open('/?q=7');
    expectError(/404/);
    const found = page.getByRole('list').filter({ hasText: 'Sale 7' });
    await found.waitFor();
    expect(await found.getByRole('link').allTextContents()).toEqual([
      'Sale 7',
      'Campaign 7',
      expect.stringMatching(/^Link 7 \(code \w+\)$/),
    ]);
    await seeAccessible(page);
  });

  it('finds a link by its code, a distributor by its address, and a merchant by its name', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { data: link } = await api.links.get({ nodeId: '100' });
    const { page, expectError } = await site.open(`/?q=${link.code}`);
    expectError(/404/);
    await page.waitForURL(`**/campaigns/${link.campaign.campaignId}?node=100`);
    await page.goto(`/?q=${link.owner}`);
    await page.waitForURL(`**/distributors/${link.owner}`);
    const { slug } = link.campaign.merchant;
    await page.goto(`/?q=${slug}`);
    await page.waitForURL(`**/merchants/${slug}`);
  });

  it('says that nothing was found', async () => {
    const { page, expectError } = await site.open('/?q=no-such-merchant');
    expectError(/404/);
    await page.getByText('Nothing is found for no-such-merchant').waitFor();
  });

  it('shows a new sale when it is settled, and marks it when a reorg removes it', async () => {
    const { page } = await site.open('/');
    await page.getByText('live', { exact: true }).waitFor();
    const chain = await onChain(site.sample);
    const api = createClient({ baseUrl: site.sample.url });
    const settled = async () => (await api.system.status()).data.settled?.number;
    const before = await settled();
    const saleId = await chain.buy();
    const row = page.getByRole('row').filter({ hasText: `${saleId} ·` });
    await row.getByText('new', { exact: true }).waitFor();
    await chain.takeBack();
    await row.getByText('removed by a reorg').waitFor();
    await waitFor(async () => (await settled()) === before, { what: 'the ledger as it was' });
  });
});
