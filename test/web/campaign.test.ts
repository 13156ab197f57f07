import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { risksOf } from '../../engine/core/risks.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';

/** Drivers without a graphics card say so when what is under the pointer is read. */

/** Answers a request of the API with what it says, changed. */
async function changed<T>(page: Page, path: string, change: (data: T) => void): Promise<void> {
  await page.route(path, async (route) => {
    const reply = await (await route.fetch()).json();
    change(reply.data);
    await route.fulfill({ json: reply });
  });
}

interface Ledgers {
  readonly rewardLedger: { available: string };
  readonly moderation: { hidden: boolean; reason: string | null };
}

describeInBrowser('The campaign page', (site) => {
  it.each([
    [1280, 'light'],
    [320, 'dark'],
  ] as const)(
    'shows policy, ledgers, history, graph and receipts, at %i px, %s',
    async (width, scheme) => {
      const { page } = await site.open('/campaigns/1', { width, scheme });
      await page.getByRole('heading', { level: 1, name: /Single-origin subscription/ }).waitFor();
      await page.getByRole('img', { name: /^A bag of coffee/ }).waitFor();
      const risks = page.getByRole('region', { name: 'What others can do to' });
      expect(await risks.getByRole('listitem').allTextContents()).toEqual(
        risksOf({ trustMode: 'NATIVE_ONCHAIN', inviteOnly: false }).map(({ text }) => text),
      );
      const sales = page.getByRole('table', { name: 'Sales of the campaign' });
      const tabs = [
        ['Overview', page.getByText('Sales without a link')],
        ['Sales', sales.getByText('Family box, 1 kg').first()],
        ['Rewards & ledgers', page.getByRole('heading', { name: 'Rewards by status' })],
        ['Graph', page.getByText(/^44 of 44 links loaded$/)],
        ['Policy', page.getByText('15\u00a0% of what the buyer pays goes to the link')],
      ] as const;
      for (const [name, content] of tabs) {
        await page.getByRole('tab', { name }).click();
        await content.waitFor();
        if (name.startsWith('Rewards')) {
          expect(await page.getByText('adds up', { exact: true }).count()).toBe(2);
        }
        if (width === 320) await seeAccessible(page);
        await seeNoOverflow(page);
        await screenshot(page, `campaign-${width}-${scheme}-${name.slice(0, 7)}`);
      }
    },
  );

  it('charts the ledger of each block, to the unit', async () => {
    const { page } = await site.open('/campaigns/1?tab=rewards');
    await page.getByText('The same as a table').last().click();
    const table = page.getByRole('table', { name: /^Rewards by status/ });
    const rows = await table.getByRole('row').allTextContents();
    expect(rows.length).toBeGreaterThan(8);
    const api = createClient({ baseUrl: site.sample.url });
    const { data } = await api.campaigns.get({ campaignId: '1' });
    const claimed = humanUnits(data.rewardLedger.rewardsClaimed);
    expect(rows.at(-1)?.replace(/\u202f/g, '')).toContain(claimed);
    // A shorter range begins with the last block before it.
    await page.getByRole('button', { name: '1 day', exact: true }).click();
    await expect
      .poll(async () => (await table.getByRole('row').allTextContents()).at(1), { timeout: 20_000 })
      .not.toBe(rows[1]);
  });

  it('shows prominently that a ledger does not add up, and by how much', async () => {
    const { page } = await site.open('/campaigns/1', {
      prepare: async (fresh) =>
        await changed(fresh, '**/v1/campaigns/1', ({ rewardLedger }: Ledgers) => {
          rewardLedger.available = String(BigInt(rewardLedger.available) + 1n);
        }),
    });
    const alert = page.getByRole('alert').filter({ hasText: 'This does not add up.' }).first();
    await alert.waitFor();
    expect(await alert.textContent()).toContain('0.000001 TUSD more than "Deposited"');
    await page.getByRole('tab', { name: 'Rewards & ledgers' }).click();
    await expect.poll(() => page.getByText('adds up', { exact: true }).count()).toBe(1);
    await seeAccessible(page);
  });

  it('shows the version that takes effect next with its split, and how many sales the budget covers', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { current } = (await api.campaigns.policy({ campaignId: '1' })).data;
    const version = current.version + 1;
    const next = {
      ...{ ...current, version, commissionBps: 1_234, weightsBps: [6_000, 4_000] },
      ...{ maxRewardedAncestors: 2, effectiveAt: '2099-01-01T00:00:00.000Z' },
    };
    const waiting = { ...next, version: version + 1, effectiveAt: '2099-02-01T00:00:00.000Z' };
    const { page } = await site.open('/campaigns/1?tab=policy', {
      width: 320,
      prepare: async (fresh) =>
        await changed(fresh, '**/v1/campaigns/1/policy', (data: { scheduled: object[] }) => {
          data.scheduled = [waiting, next];
        }),
    });
    const card = page.getByRole('region', { name: 'Reward policy' });
    await card
      .getByRole('heading', { name: `Next: version ${version}, from 1 Jan 2099` })
      .waitFor();
    await card
      .getByRole('heading', { name: `Waiting: version ${version + 1}, from 1 Feb 2099` })
      .waitFor();
    await card
      .getByText(/^12\.34\u00a0% of what the buyer pays .*: 60\u00a0% and 40\u00a0%/)
      .first()
      .waitFor();
    const [node] = (await api.graph.forCampaign({ campaignId: '1', limit: 1 })).data.items;
    const { data: link } = await api.links.get({ nodeId: node?.nodeId ?? '' });
    const covered = await card.locator('dt:text-is("Budget left") + dd').first().textContent();
    expect(covered?.replace(/\u202f/g, '')).toBe(`Covers ${link.campaign.salesCovered} more sales`);
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'campaign-next-policy');
  });

  it('says that attested sales were paid elsewhere', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const [found] = (await api.campaigns.list({ source: 'MERCHANT_ATTESTED', limit: 1 })).data
      .items;
    const { page } = await site.open(`/campaigns/${found?.campaignId}?tab=rewards`);
    await page.getByText('These sales were').waitFor();
    await page.getByRole('heading', { name: 'Sales by status' }).waitFor();
  });

  it('says why a campaign is hidden', async () => {
    const { page } = await site.open('/campaigns/1', {
      prepare: async (fresh) =>
        await changed(fresh, '**/v1/campaigns/1', ({ moderation }: Ledgers) => {
          Object.assign(moderation, { hidden: true, reason: 'It sells what it has not.' });
        }),
    });
    await page.getByText('It sells what it has not.').waitFor();
    await seeAccessible(page);
  });

  it('says that a campaign was not found, and offers a retry if there was no response', async () => {
    const { page, expectError } = await site.open('/campaigns/4711', { width: 320 });
    expectError(/404/);
    await page.getByRole('heading', { name: 'Campaign 4711 was not found' }).waitFor();
    await seeAccessible(page);
    await page.route('**/v1/campaigns/2', (route) => route.abort());
    expectError(/campaigns\/2|ERR_FAILED/);
    await page.goto('/campaigns/2');
    await page.getByRole('heading', { name: 'The service does not answer' }).waitFor();
    await seeAccessible(page);
    await page.unroute('**/v1/campaigns/2');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('tab', { name: 'Policy' }).waitFor();
  });
});

/** Six decimals, as the sample's dollar has. */
function humanUnits(units: string): string {
  const digits = units.padStart(7, '0');
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`.replace(/\.?0+$/, '');
}
