import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { type Hex, pad } from 'viem';
import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { merchantOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { testClient } from '../support/chain.ts';
import { picture } from '../support/png.ts';
import { type PageOptions, screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import type { SampleSite } from './support/sample-site.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

const merchant = merchantOf(SAMPLE_SEED, 'fjord-outfitters');
const TITLE = 'Reindeer blanket';
/** Where a proxy has the address of its code (EIP-1967). */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';
/** Longer than a busy machine takes for a transaction and its settlement. */
const PATIENCE = { timeout: 60_000 };

describeInBrowser('What a merchant manages in the console', (site) => {
  /** Opens a section of the console as a merchant of the sample. */
  async function openConsole(section: string, options: PageOptions = {}, as = merchant) {
    const { rpcUrl } = site.sample;
    const opened = await site.open(`/console/${section}`, {
      ...options,
      prepare: async (page) => {
        await giveWallet(page, { privateKey: as.privateKey, rpcUrl });
        await options.prepare?.(page);
      },
    });
    // Before sign-in the session is a 401.
    opened.expectError(/401/);
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    return opened;
  }

  it('creates a product with a picture, a campaign for it on the chain, and runs that campaign', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { page, expectError } = await openConsole('products');
    await site.reverting(async () => {
      expectError(/415|422/);
      await createProduct(page);
      await fillWizard(page);
      await makeUpgradable(site.sample);
      const campaignId = await publish(page);
      const { data } = await api.campaigns.get({ campaignId });
      expect(data).toMatchObject({
        state: 'FUNDED_ACTIVE',
        price: '12345678',
        rewardLedger: { available: '100000000' },
        policy: {
          ...{ commissionBps: 1_250, weightsBps: [5_000, 2_500, 2_500] },
          excludesSelfReferral: true,
        },
      });
      await operate(page, 'Pause');
      expect((await api.campaigns.get({ campaignId })).data.state).toBe('PAUSED');
      await operate(page, 'Resume');
      await operate(page, 'Schedule a policy', async () => {
        await page.getByLabel('Reward of a sale, %').fill('20');
      });
      const { data: policies } = await api.policies.list({ campaignId });
      expect(policies.items.map(({ commissionBps, status }) => [commissionBps, status])).toEqual([
        [1_250, 'current'],
        [2_000, 'scheduled'],
      ]);
    });
    await removeTraces(page);
  }, 300_000);

  it('shows the limits of an attester, lowers them, and withdraws them', async () => {
    const publisher = merchantOf(SAMPLE_SEED, 'meridian-press');
    const api = createClient({ baseUrl: site.sample.url });
    const query = { source: 'THIRD_PARTY_VERIFIED' } as const;
    const campaignId = (await api.campaigns.list(query)).data.items[0]?.campaignId ?? '';
    const attester = async () =>
      (await api.permissions.list({ campaignId, role: 'attester' })).data.items[0];
    const account = (await attester())?.account ?? '';
    const section = `campaigns?campaign=${campaignId}&tab=attesters`;
    const { page } = await openConsole(section, { width: 390 }, publisher);
    await site.reverting(async () => {
      const table = page.getByRole('table', { name: 'Attesters of the campaign' });
      await table.waitFor();
      expect(await table.textContent()).toMatch(/100\.00.TUSD[\s\S]*1.000\.00.TUSD[\s\S]*yes/);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'console-attesters-390');
      await page.setViewportSize({ width: 1280, height: 900 });
      await screenshot(page, 'console-attesters');
      await operate(page, 'Change an attester', async () => {
        await page.getByRole('textbox', { name: 'Account' }).fill(account);
        await page.getByLabel('Largest sale, TUSD').fill('0');
        await page.getByRole('button', { name: /^Preview/ }).click();
        await page.getByText('Must be above 0.').waitFor();
        await page.getByLabel('Largest sale, TUSD').fill('64.5');
        await seeAccessible(page);
        await screenshot(page, 'console-attester-form');
        await page.setViewportSize({ width: 390, height: 900 });
        await seeNoOverflow(page);
        await screenshot(page, 'console-attester-form-390');
      });
      expect((await attester())?.limits).toMatchObject({
        ...{ perOrder: '64500000', daily: String((1n << 128n) - 1n), inForce: true },
      });
      await operate(page, 'Change an attester', async () => {
        await page.getByRole('textbox', { name: 'Account' }).fill(account);
        await page.getByLabel('It may no longer do so').check();
      });
      expect(await attester()).toMatchObject({ allowed: false, limits: null });
    });
  }, 300_000);

  it('invites a member, makes a key, and sends a test event to a webhook', async () => {
    const { page, expectError } = await openConsole('team', { width: 320, scheme: 'dark' });
    // A wrong address of a key, and a key that needs a signature first.
    expectError(/400|403/);
    await page.getByRole('textbox', { name: 'Account' }).fill(`0x${'0'.repeat(38)}ab`);
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('invited').waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await confirm(page, 'Withdraw');
    await page.getByText('invited').waitFor({ state: 'detached' });

    await page.goto('/console/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('shop backend');
    await page.getByLabel('My own choice').check();
    await page.getByLabel('orders.read').check();
    await page.getByLabel('Only from these addresses').fill('nonsense');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Must be an IP address').waitFor();
    await page.getByLabel('Only from these addresses').fill('127.0.0.1');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = await page.getByText(/^tby_test_\w{40,}$/).textContent();
    const shop = createClient({ baseUrl: site.sample.url, apiKey: secret ?? '' });
    expect((await shop.orders.list({ limit: 1 })).data.items).toHaveLength(1);
    await seeAccessible(page);
    await seeNoOverflow(page);
    // By keyboard: the menu of the row, its last entry, and the question.
    const keyMenu = page.getByRole('button', { name: 'Actions for shop backend' });
    await keyMenu.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Usage' }).waitFor();
    await seeAccessible(page);
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate('document.activeElement.ariaLabel'))
      .toBe('Actions for shop backend');
    await page.getByText('revoked').waitFor();
    await expect(shop.orders.list({ limit: 1 })).rejects.toMatchObject({ status: 401 });

    const received: string[] = [];
    const server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.writeHead(204).end());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    try {
      await page.goto('/console/webhooks');
      await page.getByRole('button', { name: 'New endpoint' }).click();
      await page.getByLabel('Address').fill(`http://127.0.0.1:${port}/hook`);
      await page.getByLabel('sale.recorded').check();
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByText(/^whsec_/).waitFor();
      await page.getByRole('table', { name: 'Your endpoints' }).getByRole('link').click();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await expect.poll(() => received.length, PATIENCE).toBe(1);
      const row = page.getByRole('table', { name: 'Deliveries' }).getByRole('row');
      await row.getByText('webhook.test').waitFor();
      await page.getByRole('button', { name: 'Show', exact: true }).click();
      await page.getByText('"eventId"').waitFor();
      await page.getByRole('button', { name: 'Send again' }).click();
      await expect.poll(() => received.length, PATIENCE).toBe(2);
      // A replay has the id of its event, so that the receiver recognizes it.
      expect(new Set(received).size).toBe(1);
      await page.getByRole('button', { name: 'Close' }).click();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'console-webhook-320-dark');
      await confirm(page, 'Remove');
      await page.getByText('You have no endpoints.').waitFor();
    } finally {
      server.close();
    }
  }, 180_000);

  it('names the variable that enables what a deployment lacks', async () => {
    const { page } = await openConsole('keys', {
      prepare: async (opened) => {
        await opened.route('**/v1/system/endpoints', async (route) => {
          const response = await route.fetch();
          const text = await response.text();
          const body = JSON.parse(text);
          for (const one of body.data.items) {
            if (one.name.startsWith('apiKeys.')) one.availability = 'designed';
          }
          await route.fulfill({ response, json: body });
        });
      },
    });
    await page.getByText('DESIGNED_METHODS=apiKeys').waitFor();
  });
});

/** A product that is ready for sale. Its first save names the fields that it lacks. */
async function createProduct(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'New product' }).click();
  await page.getByLabel('Title').fill(TITLE);
  await page.getByRole('button', { name: 'Create draft' }).click();
  const buffer = picture({ width: 320, height: 180 }, [10, 20, 30], [200, 210, 220]);
  await page.getByLabel('Files to upload').setInputFiles([
    { name: 'cover.png', mimeType: 'image/png', buffer: Buffer.from(buffer) },
    { name: 'bad.svg', mimeType: 'image/svg+xml', buffer: Buffer.from('<svg></svg>') },
  ]);
  await page.getByText(/cover\.png.*uploaded/).waitFor();
  await page.getByText(/bad\.svg.*not uploaded\. The file is HTML, SVG/).waitFor();
  await page.getByRole('button', { name: 'Save and make ready for sale' }).click();
  await page.getByText('Is needed before the product is ready (outcome).').waitFor();
  await seeAccessible(page);
  await page.getByLabel('Category').fill('Blankets');
  await page.getByLabel('What the buyer gets').fill('A warm blanket.');
  await page.getByLabel('Description', { exact: true }).fill('Woven by hand.');
  await page.getByLabel('Description of the cover').fill('A blanket on a rock');
  const dollar = page.locator('option', { hasText: 'TUSD' });
  await page.getByLabel('Token').selectOption(await dollar.getAttribute('value'));
  await page.getByLabel('Price', { exact: true }).fill('12.345678');
  await page.getByRole('button', { name: 'Add a variant' }).click();
  await page.getByLabel('Variant', { exact: true }).fill('Double size');
  await page.getByLabel('SKU name').fill('double');
  await page.getByLabel('Price of the variant').fill('22');
  await page.getByRole('button', { name: 'Save and make ready for sale' }).click();
  await page.getByRole('table', { name: 'Versions of this product' }).waitFor();
  await screenshot(page, 'console-product');
}

/** A draft with all fields. The simulation follows what is typed. */
async function fillWizard(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Console' })
    .getByRole('link', { name: 'Campaigns' })
    .click();
  await page.getByRole('button', { name: 'New campaign' }).click();
  await page.getByRole('radio', { name: TITLE }).check();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Name of the campaign').fill('Winter');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Rewarded levels').selectOption('3');
  await page.getByLabel('Level 1, % of the reward').fill('50');
  await page.getByText('of the reward is not given to a level yet.').waitFor();
  await page.getByLabel('Level 3, % of the reward').fill('25');
  await page.getByLabel('Reward of a sale, %').fill('12.5');
  // 12.5 % of 12.345678, rounded down: 1.543209; half of it for level 1, with the unit left by rounding.
  const paid = page.getByRole('row', { name: /2 links above it/ });
  await expect.poll(() => paid.locator('data').first().getAttribute('value')).toBe('771605');
  await page.setViewportSize({ width: 320, height: 800 });
  await seeAccessible(page);
  await seeNoOverflow(page);
  await screenshot(page, 'console-wizard-320');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Rewards to deposit').fill('100');
  // 100 / 1.543209
  await page.getByText('64 sales').waitFor();
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByRole('button', { name: 'Publish' }).waitFor();
  // The draft was saved at each step.
  await page.reload();
}

/** Lets the sample's token look like a proxy whose code its issuer can replace. */
async function makeUpgradable({ url, rpcUrl }: SampleSite): Promise<void> {
  const { data } = await createClient({ baseUrl: url }).tokens.list({});
  const address = data.items.find(({ token }) => token.symbol === 'TUSD')?.token.address as Hex;
  const client = testClient(rpcUrl);
  await client.setStorageAt({ address, index: IMPLEMENTATION_SLOT, value: pad(address) });
}

/** Reads the warnings about the token, and signs what brings the draft onto the chain. @returns the campaign's number. */
async function publish(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Publish' }).click();
  const warnings = page.getByRole('status', { name: 'What this token can do to the campaign' });
  await warnings.getByText('Its issuer can replace its code').waitFor();
  await screenshot(page, 'console-token-warnings');
  await page.setViewportSize({ width: 320, height: 800 });
  await seeAccessible(page);
  await seeNoOverflow(page);
  await screenshot(page, 'console-token-warnings-320');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('button', { name: 'Create the campaign' }).click();
  await page.getByRole('button', { name: 'Approve and deposit' }).click(PATIENCE);
  await page.getByRole('heading', { name: 'Your campaign is live' }).waitFor(PATIENCE);
  await page.getByRole('button', { name: 'Share the campaign' }).waitFor();
  await seeAccessible(page);
  await screenshot(page, 'console-published');
  await page.setViewportSize({ width: 390, height: 800 });
  await seeNoOverflow(page);
  await screenshot(page, 'console-published-390');
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.getByRole('link', { name: 'Invite partners' }).click();
  const chosen = await page.getByLabel('Campaign', { exact: true }).inputValue();
  await page.goBack();
  const manage = page.getByRole('link', { name: 'Manage the campaign' });
  expect(await manage.getAttribute('href')).toMatch(new RegExp(`campaign=${chosen}$`));
  await manage.click();
  await page.getByText('active', { exact: true }).waitFor();
  return new URL(page.url()).searchParams.get('campaign') ?? '';
}

/** Prepares an operation, reads its preview, and signs it. */
async function operate(page: Page, title: string, fill = async () => {}): Promise<void> {
  await page.getByRole('tab', { name: 'Operations' }).click();
  await page.getByRole('link', { name: title, exact: true }).click();
  await fill();
  await page.getByRole('button', { name: /^Preview/ }).click();
  await page.getByRole('table', { name: 'What changes' }).waitFor();
  await screenshot(page, `console-${title.toLowerCase().replaceAll(' ', '-')}`);
  await page.getByRole('button', { name: title, exact: true }).click();
  await page.getByText('Done, and settled.').waitFor(PATIENCE);
  await page.getByRole('link', { name: 'To the campaign' }).click();
}

/** Presses a button that asks first, and confirms. */
async function confirm(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name, exact: true }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}

/** Deletes the draft, which has no campaign any more, and archives the product. */
async function removeTraces(page: Page): Promise<void> {
  await page.goto('/console/campaigns');
  const draft = page.getByRole('row', { name: 'Winter' });
  await draft.getByRole('button', { name: /^Actions for / }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await draft.waitFor({ state: 'detached' });
  await page.goto('/console/products');
  await page.getByRole('link', { name: TITLE }).click();
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('archived', { exact: true }).first().waitFor();
}
