import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';

const displays = [
  [1280, 'light'],
  [320, 'dark'],
] as const;

describeInBrowser('The pages of accounts', (site) => {
  it('shows the record of a distributor, with all its links and their sales', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const [first] = (await api.distributors.list({ limit: 1 })).data.items;
    if (first === undefined) throw new Error('the sample has no distributor');
    for (const [width, scheme] of displays) {
      const { page } = await site.open(`/distributors/${first.address}`, { width, scheme });
      for (const [tab, table] of [
        ['Record', 'Signals of the rank'],
        ['Links', 'Links and their campaigns'],
        ['Sales', 'Sales through its links'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click();
        const shown = page.getByRole('table', { name: table });
        await shown.waitFor();
        if (tab === 'Links') {
          expect(await shown.getByRole('rowheader').count()).toBe(first.linkCount);
        }
        await seeAccessible(page);
        await seeNoOverflow(page);
        await screenshot(page, `distributor-${tab}-${width}-${scheme}`);
      }
    }
  });

  it('sums the points of a rank', async () => {
    const { page } = await site.open('/distributors/north-wind');
    await page.getByRole('heading', { level: 1, name: 'North Wind Newsletter' }).waitFor();
    const table = page.getByRole('table', { name: 'Signals of the rank' });
    const points = (await table.getByRole('cell').allTextContents())
      .filter((_cell, index) => index % 3 === 2)
      .map((text) => Number(text.replace(/\D/g, '')));
    const sum = points.reduce((so, one) => so + one, 0);
    const shown = await page.getByText(/of 10.000 points/).textContent();
    expect(Number(shown?.split(' of ')[0]?.replace(/\D/g, ''))).toBe(sum);
  });

  it('shows neither totals nor address for a handle with a private address', async () => {
    const { page } = await site.open('/distributors/quiet-river');
    await page.getByRole('heading', { name: 'Standing' }).waitFor();
    await page.getByText('keeps the account private').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    expect(await page.locator('main').textContent()).not.toMatch(/0x/);
    await seeAccessible(page);
  });

  it('shows profile, record and campaigns of a merchant', async () => {
    for (const [width, scheme] of displays) {
      const { page } = await site.open('/merchants/harbor-roasters', { width, scheme });
      await page.getByRole('heading', { level: 1, name: 'Harbor Roasters' }).waitFor();
      const campaigns = page.getByRole('table', { name: 'Campaigns of the merchant' });
      await campaigns.waitFor();
      expect(await campaigns.getByRole('rowheader').count()).toBe(2);
      await page.getByRole('table', { name: 'Sales by token' }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `merchant-${width}-${scheme}`);
    }
  });

  it('shows the on-chain record of a merchant without a profile', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { items } = (await api.campaigns.list({ limit: 100 })).data;
    const bare = items.find(({ merchant }) => merchant.slug === merchant.address);
    const { page } = await site.open(`/merchants/${bare?.merchant.address}`);
    await page.getByText('The chain alone').waitFor();
    await seeAccessible(page);
  });

  it('says that an unknown merchant or distributor was not found', async () => {
    const { page, expectError } = await site.open('/merchants/unknown-name');
    expectError(/404/);
    await page.getByRole('heading', { name: 'Merchant unknown-name was not found' }).waitFor();
    await page.goto(`/distributors/0x${'0'.repeat(37)}abc`);
    await page.getByRole('heading', { name: /^Distributor 0x0000…0abc was not found$/ }).waitFor();
    await seeAccessible(page);
  });
});
