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
      const recent = page.getByRole('table', { name: 'Recent receipts, newest first' });
      await recent.waitFor();
      expect(await recent.getByRole('row').count()).toBe(13);
      await page.getByRole('table', { name: 'Top campaigns' }).waitFor();
      await page.getByRole('table', { name: 'Top distributors' }).waitFor();
      await page.getByText('live', { exact: true }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `home-${width}-${scheme}`);
    }
  });

  it('shows volume, rewards, active campaigns and sales of the API, as of one block', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { data } = await api.system.activity({ days: 30 });
    const { page } = await site.open('/');
    const tile = (name: string) => page.getByRole('region', { name, exact: true });
    await tile('Volume').waitFor();
    const units = (name: string) =>
      tile(name)
        .locator('data')
        .evaluateAll((found: readonly { getAttribute(name: string): string | null }[]) =>
          found.map((one) => one.getAttribute('value')),
        );
    expect(await units('Volume')).toEqual(data.tokens.map(({ nativeVolume }) => nativeVolume));
    expect(await units('Rewards')).toEqual(data.tokens.map(({ rewardsClaimed }) => rewardsClaimed));
    await tile('Active campaigns')
      .getByText(`${data.liveCampaigns} of ${data.campaigns}`)
      .waitFor();
    const sales = data.days.reduce((sum, day) => sum + day.sales, 0);
    expect(sales).toBeGreaterThan(500);
    await tile('Sales').getByText(`${sales} in 30 days`).waitFor();
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
    const api = createClient({ baseUrl: site.sample.url });
    const settled = async () => (await api.system.status()).data.settled?.number;
    const before = await settled();
    const saleId = await chain.buy();
    const row = page.getByRole('row').filter({ hasText: `#${saleId}` });
    await row.getByText('new', { exact: true }).waitFor();
    await chain.revert();
    await row.getByText('removed by a reorg').waitFor();
    await waitFor(async () => (await settled()) === before, { what: 'the ledger as it was' });
  });
});
