import { expect, it } from 'vitest';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { docPicture } from './support/doc-picture.ts';
import { saleLike } from './support/receipts.ts';
import { describeInBrowser } from './support/suite.ts';

describeInBrowser('The receipt page', (site) => {
  it('shows buyer, product and payments, and computes the same amounts in the browser', async () => {
    const sale = await saleLike(site.sample, { whole: ({ split }) => split.shares.length > 1 });
    for (const [width, scheme] of [
      [1280, 'dark'],
      [320, 'light'],
    ] as const) {
      const path = `/receipts/31337/${sale.saleId}`;
      const { page } = await site.open(path, { width, scheme });
      await page.getByRole('heading', { level: 1, name: sale.product.title }).waitFor();
      const levels = page.getByRole('region', { name: 'Who is paid' }).getByText(/^Level \d$/);
      expect(await levels.allTextContents()).toEqual(
        sale.path.map((_node, index) => `Level ${index + 1}`),
      );
      // Nothing was compared with the chain yet, and the page says so.
      await page.getByText('Not compared with the chain yet').waitFor();
      const why = page.getByRole('region', { name: 'Why this amount' });
      await why.getByText('The service says the same.').waitFor();
      for (const { amount } of sale.split.shares) {
        expect(await why.locator(`data[value="${amount}"]`).count()).toBeGreaterThan(0);
      }
      if (scheme === 'light') {
        await docPicture(page, 'receipt');
        await docPicture(page, 'receipt-phone', 'phone');
        await page.setViewportSize({ width, height: 900 });
      }
      await page.getByRole('link', { name: 'What happened', exact: true }).click();
      await page
        .getByRole('region', { name: 'What happened' })
        .getByText(/was paid/)
        .waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `receipt-${width}-${scheme}`);
    }
  });

  it('names the variant and the version that were sold, in the receipt and in lists', async () => {
    const sale = await saleLike(site.sample, { listed: ({ variant }) => variant !== null });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`, { width: 320 });
    const name = sale.variant?.name ?? '';
    await page.locator('dt:text-is("Variant") + dd').getByText(name, { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Details', exact: true }).click();
    const version = page.locator('dt:text-is("Product version") + dd');
    expect(await version.textContent()).toBe(String(sale.productVersion));
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'receipt-variant');
    await page.goto(`${site.sample.url}/sales`);
    const table = page.getByRole('table', { name: /^Sales/ });
    await table.getByText(name).first().waitFor();
  });

  it('names the levels that the buyer owns', async () => {
    const sale = await saleLike(site.sample, { whole: ({ path }) => path.length > 1 });
    const [, above] = sale.path;
    for (const width of [1280, 320]) {
      const { page } = await site.open(`/receipts/31337/${sale.saleId}`, {
        width,
        prepare: async (fresh) => {
          await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
            const reply = await (await route.fetch()).json();
            reply.data.buyer = above?.owner;
            reply.data.selfReferral = [above?.nodeId];
            await route.fulfill({ json: reply });
          });
        },
      });
      const paid = page.getByRole('region', { name: 'Who is paid' });
      await paid.getByText('Self-referral: the buyer owns').waitFor();
      const owned = paid.getByRole('listitem').filter({ hasText: 'the buyer’s own link' });
      expect(await owned.getByText(/^Level \d$/).allTextContents()).toContain('Level 2');
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `receipt-self-referral-${width}`);
    }
  });

  it('names attached codes, and distinguishes no codes from codes that are not known', async () => {
    const sale = await saleLike(site.sample, {
      whole: ({ attribution }) => attribution.codes !== null,
    });
    const registry = { chainId: 8_453, address: `0x${'c0de'.repeat(10)}` };
    const attached = [
      { code: 'tea-shop', role: 'app', registry },
      { code: '<b>wallet</b>', role: 'wallet', registry: null },
      { code: 'x'.repeat(64), role: null, registry: null },
      { code: 'x'.repeat(64), role: null, registry: null },
    ];
    const shown: [codes: object[] | null, text: RegExp][] = [
      [sale.attribution.codes, /^none$/],
      [null, /^not known$/],
      [
        attached,
        /^tea-shop app of chain 8453, registry .*, <b>wallet<\/b> wallet, x{64} \(the sender’s words/,
      ],
    ];
    for (const [codes, text] of shown) {
      const { page } = await site.open(`/receipts/31337/${sale.saleId}`, {
        width: 320,
        prepare: async (fresh) => {
          await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
            const reply = await (await route.fetch()).json();
            reply.data.attribution.codes = codes;
            await route.fulfill({ json: reply });
          });
        },
      });
      await page.getByRole('link', { name: 'Details', exact: true }).click();
      const line = page.locator('dt:text-is("Attached codes") + dd');
      await line.waitFor();
      expect(await line.textContent()).toMatch(text);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `receipt-codes-${codes?.length ?? 'unknown'}`);
    }
  });

  it('explains which cap applied and what each level missed', async () => {
    const sale = await saleLike(site.sample, {
      whole: ({ missed }) => missed.some(({ reason }) => reason !== 'DEPTH'),
    });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`);
    const why = page.getByRole('region', { name: 'Why this amount' });
    await why.getByText('Applied:').first().waitFor();
    expect(await why.getByRole('listitem').filter({ hasText: 'less:' }).count()).toBe(
      sale.missed.filter(({ reason }) => reason !== 'DEPTH').length,
    );
    await why.getByText('The service says the same.').waitFor();
  });

  it.each(['refunded', 'reversed', 'finalized'] as const)(
    'shows every event of a %s sale',
    async (state) => {
      const sale = await saleLike(site.sample, { listed: (sale) => sale.state === state });
      const { page } = await site.open(`/receipts/31337/${sale.saleId}`);
      await page.getByRole('link', { name: 'What happened', exact: true }).click();
      const history = page.getByRole('region', { name: 'What happened' });
      await history
        .getByRole('listitem')
        .nth(sale.transitions.length - 1)
        .waitFor();
      expect(await history.getByRole('listitem').count()).toBe(sale.transitions.length);
      await seeAccessible(page);
      await screenshot(page, `receipt-${state}`);
    },
  );

  it('says that a sale without a link pays no reward', async () => {
    const sale = await saleLike(site.sample, { listed: ({ nodeId }) => nodeId === null });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`);
    await page.getByText('a sale without a link').waitFor();
    await page.getByText('The service says the same.').waitFor();
  });

  it('shows amounts of the service that differ from the rule', async () => {
    const sale = await saleLike(site.sample, { whole: ({ split }) => split.shares.length > 1 });
    const wrong = (BigInt(sale.split.pool) + 1n).toString();
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`, {
      prepare: async (fresh) => {
        await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
          const reply = await (await route.fetch()).json();
          reply.data.split.pool = wrong;
          await route.fulfill({ json: reply });
        });
      },
    });
    const alert = page.getByRole('alert', { name: 'The service says otherwise' });
    await alert.getByText(`served ${wrong}`).waitFor();
    await seeAccessible(page);
  });

  it('shows that the campaign of a sale was stopped, and why', async () => {
    const sale = await saleLike(site.sample, { whole: () => true });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}`, {
      prepare: async (fresh) => {
        await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
          const reply = await (await route.fetch()).json();
          const { campaignId } = sale;
          const stopped = {
            campaignId,
            since: '2026-01-02T03:04:05.000Z',
            reason: 'event 7 is lost',
          };
          reply.meta.chain.stopped = { count: 1, campaigns: [stopped] };
          await route.fulfill({ json: reply });
        });
      },
    });
    const note = page.getByRole('note').filter({ hasText: 'event 7 is lost' });
    await note.getByText(`Campaign ${sale.campaignId} has been stopped`).waitFor();
    await seeAccessible(page);
  });

  it('says that a sale was not found, and that it may be newer than the settled block', async () => {
    const { page, expectError } = await site.open('/receipts/31337/999999', {
      prepare: async (fresh) => {
        await fresh.route('**/v1/system/status', async (route) => {
          const reply = await (await route.fetch()).json();
          reply.data.lag.total = 50;
          await route.fulfill({ json: reply });
        });
      },
    });
    expectError(/404/);
    const panel = page.getByRole('region', { name: /was not found$/ });
    await panel.getByText(/50 blocks further/).waitFor();
    await seeAccessible(page);
    await page.goto('/receipts/31337/seven');
    await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  });

  it('still shows the loaded receipt when the network fails, and says so', async () => {
    const { page, expectError } = await site.open('/receipts/31337/578');
    await page.getByText('The service says the same.').waitFor();
    expectError(/ERR_INTERNET_DISCONNECTED/);
    await page.context().setOffline(true);
    await page.getByText('You are offline: what is shown was read before.').waitFor();
    await page.getByRole('heading', { name: 'Why this amount' }).waitFor();
    await seeAccessible(page);
  });
});
