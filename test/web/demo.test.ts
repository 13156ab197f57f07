import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createClient } from '../../engine/client/index.ts';
import { demoPaths } from '../../engine/contract/demo.ts';
import { merchantOf } from '../../sample/actors.ts';
import { Accounts } from '../../sample/commerce/accounts.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { docPicture } from './support/doc-picture.ts';
import { describeInBrowser } from './support/suite.ts';

/** Longer than a busy machine takes from a signature to a settled sale. */
const PATIENCE = { timeout: 30_000 };

/** A draft of this test, because the sample's own is needed by others. */
const DRAFT = 'summer-blend';

const Refusal = z.object({ code: z.number(), message: z.string() });

/** The first five minutes of somebody without a wallet, in each role. */
describeInBrowser('Trying a role without a wallet', (site) => {
  async function openAs(role: string, path: string) {
    const opened = await site.open(path);
    // Without a session, the page learns so by a 401.
    opened.expectError(/401/);
    await opened.page.getByRole('button', { name: `Try as ${role}` }).click();
    await bar(opened.page).getByText(`a ${role}, on a chain of this machine`).waitFor(PATIENCE);
    return opened.page;
  }

  it('buys through a link', async () => {
    await site.reverting(async () => {
      const page = await openAs('buyer', '/me');
      await page
        .getByRole('heading', { level: 1, name: /subscription|starter kit/ })
        .waitFor(PATIENCE);
      expect(page.url()).toMatch(/\/r\/\w+$/);
      await see(page, 'demo-buyer-link');
      await docPicture(page, 'buyer-offer');
      await docPicture(page, 'buyer-phone', 'phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('link', { name: 'Buy', exact: true }).click();
      await page.getByRole('button', { name: 'Continue to the payment' }).waitFor(PATIENCE);
      await docPicture(page, 'buyer-checkout');
      await page.getByRole('button', { name: 'Continue to the payment' }).click();
      await page.getByRole('button', { name: 'Buy', exact: true }).click(PATIENCE);
      await page.getByRole('heading', { name: 'Paid' }).waitFor(PATIENCE);
      await see(page, 'demo-buyer-paid');
      await docPicture(page, 'buyer-paid');
    });
  });

  it('claims what links earned, and joins a campaign', async () => {
    await site.reverting(async () => {
      const page = await openAs('partner', '/me');
      await page.getByRole('button', { name: 'Pay me everything' }).waitFor(PATIENCE);
      await see(page, 'demo-partner');
      await docPicture(page, 'partner-overview');
      await docPicture(page, 'partner-phone', 'phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      await page.getByRole('button', { name: 'Pay me everything' }).click();
      await page.getByRole('button', { name: 'Sign and send' }).click(PATIENCE);
      await page.getByRole('table', { name: 'Payments' }).waitFor(PATIENCE);
      await see(page, 'demo-partner-paid');
      await docPicture(page, 'partner-paid');
      await page.goto('/me/join');
      await page
        .getByRole('button', { name: /^Join / })
        .first()
        .click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'See what you would earn' }).click();
      await dialog.getByRole('button', { name: 'Join', exact: true }).click(PATIENCE);
      await dialog.getByText(/[/]r[/]/).waitFor(PATIENCE);
      await see(page, 'demo-partner-joined');
      await docPicture(page, 'partner-joined');
    });
  });

  it('refunds a buyer, and publishes a campaign', async () => {
    const { url } = site.sample;
    const accounts = new Accounts({ apiUrl: url, origin: url });
    const shop = await accounts.as(merchantOf(SAMPLE_SEED, 'harbor-roasters'));
    const { data: drafts } = await shop.campaigns.mine({ kind: 'draft', limit: 100 });
    const spring = drafts.items.find(({ draft }) => draft?.draft.name === 'Spring blend')?.draft;
    if (!spring) throw new Error('the sample has no draft that can be published');
    const draft = { ...spring.draft, version: 0, name: 'Summer blend' };
    await shop.campaigns.saveDraft({ id: DRAFT, draft });
    await site.reverting(async () => {
      const page = await openAs('merchant', '/console');
      await page
        .getByRole('table', { name: 'Refund requests that wait for you' })
        .waitFor(PATIENCE);
      await see(page, 'demo-merchant');
      await docPicture(page, 'merchant-overview');
      await docPicture(page, 'merchant-phone', 'phone');
      await page.setViewportSize({ width: 1280, height: 900 });
      const request = page.getByRole('row').filter({ hasText: 'accepted, refund to sign' });
      await request.first().getByRole('link').click();
      await page.getByRole('button', { name: 'Prepare the refund' }).click(PATIENCE);
      await page
        .getByText(/^Refunds 41\.99 TUSD to 0x\w{4}…\w{4} for sale \d+\.$/)
        .waitFor(PATIENCE);
      await see(page, 'demo-merchant-refund');
      await docPicture(page, 'merchant-refund');
      await page.getByRole('button', { name: 'Refund the buyer' }).click();
      await page.getByText('The request is closed').waitFor(PATIENCE);
      await page.goto('/console');
      await page.getByRole('link', { name: 'Summer blend' }).click();
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('button', { name: 'Create the campaign' }).click(PATIENCE);
      await page.getByRole('button', { name: 'Approve and deposit' }).click(PATIENCE);
      await page.getByRole('heading', { name: 'Your campaign is live' }).waitFor(PATIENCE);
      await see(page, 'demo-merchant-live');
      await docPicture(page, 'merchant-live');
    });
    await shop.campaigns.deleteDraft({ id: DRAFT });
    await accounts.leave();
  });

  it('gives test money, changes roles, keeps the role over a reload, and leaves', async () => {
    await site.reverting(async () => {
      const page = await openAs('merchant', '/me/purchases');
      await page.waitForURL(/\/console$/);
      await bar(page).getByRole('button', { name: 'Get test TUSD' }).click();
      await bar(page).getByText('You got').waitFor(PATIENCE);
      expect(await bar(page).locator('data').getAttribute('value')).toBe('1000000000');
      await page.reload();
      await bar(page).getByText('you act as Harbor Roasters').waitFor(PATIENCE);
      await bar(page).getByRole('button', { name: 'Be the partner' }).click();
      await bar(page).getByText('you act as North Wind').waitFor(PATIENCE);
      await page.getByRole('button', { name: 'Pay me everything' }).waitFor(PATIENCE);
      await bar(page).getByRole('button', { name: 'Leave' }).click();
      await bar(page).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Try as partner' }).waitFor();
      await see(page, 'demo-signed-out');
    });
  });

  it('signs nothing for another chain, another site, or another chain behind the page', async () => {
    const page = await openAs('buyer', '/me/purchases');
    const { url } = site.sample;
    const { data: status } = await createClient({ baseUrl: url }).system.status();
    const verifyingContract = status.deployment.contractAddress;
    const domain = { name: 'Tributary', version: '3', chainId: 1, verifyingContract };
    const data = { domain, primaryType: 'A', types: { A: [], EIP712Domain: [] }, message: {} };
    const call = { to: verifyingContract, data: '0x', value: '0x1' };
    const text = (chainId: number, host: string) =>
      `${host} wants you to sign in with your Ethereum account:\n0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266\n\nHi.\n\nURI: http://${host}\nVersion: 1\nChain ID: ${chainId}\nNonce: abcdefghij\nIssued At: 2026-01-01T00:00:00.000Z`;
    const hex = (words: string) => `0x${Buffer.from(words).toString('hex')}`;
    const { host } = new URL(url);
    for (const [method, params, reason] of [
      ['eth_sendTransaction', [{ ...call, chainId: '0x1' }], /sends nothing to chain 1/],
      ['eth_signTypedData_v4', ['', JSON.stringify(data)], /only data of chain 31337/],
      ['personal_sign', [hex(text(1, host))], /only texts of this page/],
      ['personal_sign', [hex(text(31_337, 'shop.example'))], /only texts of this page/],
      ['personal_sign', [hex('I owe you 1 ETH.')], /only texts of this page/],
      ['wallet_switchEthereumChain', [{ chainId: '0x1' }], /knows no other chain/],
      ['eth_sign', ['', '0x00'], /has no eth_sign/],
      ['anvil_setBalance', [verifyingContract, '0x1'], /has no anvil_setBalance/],
    ] as const) {
      const refusal = Refusal.parse(await ask(page, method, params));
      expect(refusal.message, method).toMatch(reason);
    }
    // The service behind the page is put in front of another chain: nothing is signed any more.
    await page.route(`**${demoPaths.rpc}`, async (route) => {
      const { id, method } = route.request().postDataJSON();
      if (method === 'eth_chainId')
        await route.fulfill({ json: { jsonrpc: '2.0', id, result: '0x1' } });
      else await route.continue();
    });
    const refusal = Refusal.parse(await ask(page, 'eth_sendTransaction', [call]));
    expect(refusal.message).toContain('and not for 1');
  });

  it('offers nothing on a page of a real chain, even if a role was tried in this browser before', async () => {
    const { page, expectError } = await site.open('/console', {
      prepare: async (opened) => {
        await opened.addInitScript("localStorage.setItem('tributary.wallet', 'demo-merchant')");
        // The page as a deployment without a demo serves it, and as an attacker might change it.
        await opened.route('**/console', async (route) => {
          const response = await route.fetch();
          const html = await response.text();
          const body = html.replace(/&quot;chainId&quot;:31337/, '&quot;chainId&quot;:1');
          expect(body).not.toBe(html);
          await route.fulfill({ response, body });
        });
      },
    });
    expectError(/401/);
    await page.getByText('This browser has no wallet.').waitFor();
    expect(await page.getByRole('button', { name: /^Try as/ }).count()).toBe(0);
    expect(await bar(page).count()).toBe(0);
  });
});

function bar(page: Page) {
  return page.getByRole('complementary', { name: 'Demo' });
}

/** Looks at a page as it is on a desktop, on a phone, and on a narrow phone. */
async function see(page: Page, name: string): Promise<void> {
  for (const width of [320, 390, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    await seeNoOverflow(page);
    if (width === 320) continue;
    await seeAccessible(page);
    await screenshot(page, `${name}-${width}`);
  }
}

/** Asks the test wallet of the page, whose code the page has loaded; answers what it refused with. */
async function ask(page: Page, method: string, params: readonly unknown[]): Promise<unknown> {
  const files = await page.evaluate<string[]>(
    "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => /test-wallet.*[.]js$/.test(name))",
  );
  expect(files).toHaveLength(1);
  return await page.evaluate(
    `import(${JSON.stringify(files[0])}).then((code) => Object.values(code).find((one) => typeof one === 'function')(JSON.parse(document.querySelector('meta[name=tributary-demo]').content).people.find(({ role }) => role === 'buyer')).request(${JSON.stringify({ method, params })})
      .then((result) => ({ result }), (error) => ({ code: error.code, message: error.message })))`,
  );
}
