import type { Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { docPicture } from './support/doc-picture.ts';
import { onChain } from './support/sale-on-chain.ts';
import { ledgerAgain, settledRoot } from './support/sample-site.ts';
import { describeInBrowser } from './support/suite.ts';

describeInBrowser('The home page', (site) => {
  it('shows totals and the newest receipts, accessibly', async () => {
    for (const [width, scheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      const { page } = await site.open('/', { width, scheme });
      const recent = page.getByRole('table', { name: 'Recent receipts, newest first' });
      await recent.waitFor();
      expect(await recent.getByRole('row').count()).toBe(11);
      await page.getByRole('table', { name: 'Top campaigns' }).waitFor();
      await page.getByRole('region', { name: 'A receipt' }).getByText('Level 1').waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `home-${width}-${scheme}`);
      if (width === 1280 && scheme === 'light') await docPicture(page, 'home');
    }
  });

  it('shows whom a real sale pays, with the amounts of its receipt', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { page } = await site.open('/');
    const shown = page.getByRole('region', { name: 'A receipt' });
    await shown.getByText('Level 1').waitFor();
    const href = await shown.getByRole('link', { name: /^Open and verify/ }).getAttribute('href');
    const [, chainId = '', saleId = ''] = /(\d+)\/(\d+)$/.exec(href ?? '') ?? [];
    const { data } = await api.receipts.get({ chainId: Number(chainId), saleId });
    const { amount, split } = data;
    const rest = split.returned === '0' ? [] : [split.returned];
    const paid = split.shares.map((share) => share.amount);
    expect(await valuesIn(shown)).toEqual([amount, amount, split.reserved, ...paid, ...rest]);
  });

  it('shows volume, rewards, active campaigns and sales of the API, as of one block', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { data } = await api.system.activity({ days: 30 });
    const { page } = await site.open('/');
    const tile = (name: string) => page.getByRole('region', { name, exact: true });
    await tile('Paid by buyers').waitFor();
    expect(await valuesIn(tile('Paid by buyers'))).toEqual(
      data.tokens.map(({ nativeVolume }) => nativeVolume),
    );
    expect(await valuesIn(tile('Rewards paid out'))).toEqual(
      data.tokens.map(({ rewardsClaimed }) => rewardsClaimed),
    );
    const selling = tile('Campaigns that sell now');
    await selling.getByRole('link', { name: String(data.liveCampaigns), exact: true }).waitFor();
    await selling.getByText(`Of ${data.campaigns} so far.`).waitFor();
    const sales = data.days.reduce((sum, day) => sum + day.sales, 0);
    expect(sales).toBeGreaterThan(500);
    await tile('Sales')
      .getByRole('link', { name: String(sales), exact: true })
      .waitFor();
    await tile('Sales').getByText('By day', { exact: true }).click();
    const table = tile('Sales').getByRole('table', { name: 'Sales by day' });
    const counts = (await table.getByRole('cell').allTextContents()).map((text) =>
      Number.parseInt(text, 10),
    );
    expect(counts.reverse()).toEqual(data.days.map((day) => day.sales));
  });

  it('shows a new sale when it is settled, and marks it when a reorg removes it', async () => {
    const { page } = await site.open('/');
    await page.getByText('live', { exact: true }).waitFor();
    const chain = await onChain(site.sample);
    const before = await settledRoot(site.sample.url);
    const saleId = await chain.buy();
    const row = page.getByRole('row').filter({ hasText: `#${saleId}` });
    await row.getByText('new', { exact: true }).waitFor();
    await chain.revert();
    await row.getByText('removed by a reorg').waitFor();
    await ledgerAgain(site.sample.url, before);
  });
});

/** The amounts of a part of the page, in base units. */
async function valuesIn(part: Locator): Promise<(string | null)[]> {
  return await part
    .locator('data')
    .evaluateAll((found: readonly { getAttribute(name: string): string | null }[]) =>
      found.map((one) => one.getAttribute('value')),
    );
}
