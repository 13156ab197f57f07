import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { expect, it } from 'vitest';
import { type Client, createClient } from '../../engine/client/index.ts';
import { pathOf } from '../../engine/contract/pages.ts';
import { risksOf } from '../../engine/core/risks.ts';
import { type Actor, actorsOf, merchantOf } from '../../sample/actors.ts';
import { Accounts } from '../../sample/commerce/accounts.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { groupDigits } from '../../web/src/format.ts';
import { type PageOptions, screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { scheduledLink, seeOutlook } from './support/scheduled-link.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 20_000 };

const { distributors } = actorsOf(SAMPLE_SEED);

type MyPageOptions = PageOptions & {
  readonly refuses?: Parameters<typeof giveWallet>[1]['refuses'];
};

describeInBrowser('The own account', (site) => {
  /** Opens an address with the wallet of an account of the sample. */
  async function openWithWallet(
    actor: Actor,
    { refuses = [], path = '/me', ...options }: MyPageOptions & { path?: string } = {},
  ) {
    let requested: string[] = [];
    const opened = await site.open(path, {
      ...options,
      prepare: async (page) => {
        const { rpcUrl } = site.sample;
        requested = await giveWallet(page, { privateKey: actor.privateKey, rpcUrl, refuses });
      },
    });
    // The page asks for the session before there is one.
    opened.expectError(/401/);
    return { ...opened, requested };
  }

  /** Client of an account for calls without the browser. */
  async function clientOf(actor: Actor): Promise<Client> {
    const { url } = site.sample;
    return await new Accounts({ apiUrl: url, origin: url }).as(actor);
  }

  it('asks for a wallet if the browser has none', async () => {
    const { page, expectError } = await site.open('/me', { width: 320 });
    expectError(/401/);
    await page.getByText('This browser has no wallet.').waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
  });

  it('shows that the request was rejected in the wallet, and does not sign in', async () => {
    const { page } = await openWithWallet(await earner(), { refuses: ['personal_sign'] });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You rejected the request in your wallet.').waitFor();
    await seeAccessible(page);
  });

  it('shows somebody without a link how to begin, in place of empty tables', async () => {
    const privateKey = generatePrivateKey();
    const newcomer = { name: 'newcomer', privateKey, address: privateKeyToAddress(privateKey) };
    const { page } = await openWithWallet(newcomer, { width: 390 });
    await page.getByRole('button', { name: 'Sign in' }).click();
    const begin = page.getByRole('region', { name: 'Earn with a link of your own' });
    await begin.waitFor(PATIENCE);
    expect(await begin.getByRole('listitem').count()).toBe(3);
    expect(await page.getByText('Claimable').count()).toBe(0);
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'me-new-390');
    await begin.getByRole('link', { name: 'Choose a campaign' }).last().click();
    await page.waitForURL(/[/]me[/]join$/);
  });

  it('shows each part of the account after signing in, and none after signing out', async () => {
    const actor = await earner();
    const { data: links } = await (await clientOf(actor)).links.mine({ limit: 100 });
    for (const [width, scheme, tabs] of [
      [1280, 'light', ['Overview', 'Links', 'Earnings', 'Account']],
      [320, 'dark', undefined],
    ] as const) {
      const { page, requested } = await openWithWallet(actor, { width, scheme });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('region', { name: 'Rewards in TUSD' }).waitFor();
      expect(requested).toEqual(['eth_requestAccounts', 'personal_sign']);
      for (const [tab, shown] of [
        ['Overview', page.getByRole('table', { name: 'Notifications' })],
        ['Links', page.getByRole('table', { name: 'Your links' })],
        ['Invitations', page.getByRole('heading', { level: 1, name: 'Invitations' })],
        ['Earnings', page.getByRole('figure', { name: 'Earned by day, TUSD' })],
        ['Missed rewards', page.getByRole('table', { name: 'Missed rewards' })],
        ['Statements', page.getByRole('table', { name: 'Movements in TUSD' })],
        ['Purchases', page.getByRole('heading', { level: 1, name: 'Purchases' })],
        ['Profile', page.getByRole('region', { name: 'What strangers see' })],
        ['Account', page.getByRole('table', { name: 'Where you are signed in' })],
      ] as const) {
        if (tabs?.every((one) => one !== tab)) continue;
        await page.getByRole('tab', { name: tab, exact: true }).click();
        await shown.waitFor();
        await seeLoaded(page);
        if (tab === 'Links') {
          expect(await shown.getByRole('rowheader').count()).toBe(links.items.length);
        }
        await seeAccessible(page);
        await seeNoOverflow(page);
        await screenshot(page, `me-${tab}-${width}-${scheme}`);
      }
      // The chosen part is in the address, and the session in the browser: both last over a reload.
      await page.reload();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
      expect(await page.getByRole('table').count()).toBe(0);
    }
  });

  it('shows the remaining budget and the next policy on a link of the account, and when joining', async () => {
    const { url } = site.sample;
    const addresses = distributors.map(({ address }) => address);
    const link = await scheduledLink(url, addresses);
    const actor = distributors.find(({ address }) => address.toLowerCase() === link.owner);
    if (actor === undefined) throw new Error(`the sample has no actor ${link.owner}`);
    const path = pathOf('myLink', { nodeId: link.nodeId });
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page } = await openWithWallet(actor, { path, width, scheme });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await seeOutlook(page, link);
      await seeLoaded(page);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `my-link-outlook-${width}-${scheme}`);

      await page.goto(pathOf('join'));
      await page.getByLabel('Hide campaigns that I joined').uncheck();
      await page.getByRole('button', { name: `Join ${link.campaign.product.title}` }).click();
      await page.getByRole('button', { name: 'See what you would earn' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('note', { name: 'New terms' }).waitFor();
      const covers = await dialog.locator('dt:text-is("It covers") + dd').textContent();
      expect(covers).toBe(`${groupDigits(link.campaign.salesCovered ?? '')} more sales`);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `join-outlook-${width}-${scheme}`);
    }
  });

  it('joins a campaign with a code, and names the new link', async () => {
    const actor = await earner();
    const campaign = await unjoined(actor);
    const { data: graph } = await createClient({ baseUrl: site.sample.url }).graph.forCampaign({
      campaignId: campaign.campaignId,
      limit: 1,
    });
    const parent = graph.items[0];
    await site.reverting(async () => {
      const { page, requested } = await openWithWallet(actor, { path: '/me' });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('tab', { name: 'Links' }).click();
      await page.getByRole('link', { name: 'Join a campaign' }).click();
      await page.getByRole('button', { name: `Join ${campaign.product.title}` }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('radio', { name: /^Yes/ }).check();
      await dialog.getByLabel('Their code').fill('2ZNX');
      await dialog.getByRole('button', { name: 'See what you would earn' }).click();
      await dialog.getByText('This is no code, or it is mistyped.').waitFor();
      await dialog.getByLabel('Their code').fill(parent?.code ?? '');
      await dialog.getByRole('button', { name: 'See what you would earn' }).click();
      await dialog.getByText(`link ${parent?.code}`).waitFor();
      const risks = dialog.getByRole('region', { name: 'Risks' }).getByRole('listitem');
      const { data: whole } = await createClient({ baseUrl: site.sample.url }).campaigns.get({
        campaignId: campaign.campaignId,
      });
      expect(await risks.allTextContents()).toEqual(risksOf(whole).map(({ text }) => text));
      await seeAccessible(page);
      await screenshot(page, 'join-offer');
      const download = page.waitForEvent('download');
      await dialog.getByRole('button', { name: 'Download for Safe' }).click();
      const file = JSON.parse(await readFile(await (await download).path(), 'utf8'));
      const { data: offer } = await (await clientOf(actor)).links.joinPreview({
        campaignId: campaign.campaignId,
        parentNodeId: parent?.nodeId,
      });
      expect(file).toMatchObject({
        version: '1.0',
        chainId: '31337',
        meta: { name: 'Tributary: Join', createdFromSafeAddress: actor.address },
        transactions: [{ value: '0', data: offer.transaction?.data, contractMethod: null }],
      });
      await dialog.getByRole('button', { name: 'Join', exact: true }).click();
      const address = dialog.getByText(/[/]r[/]/);
      await address.waitFor(PATIENCE);
      expect(requested.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
      const { data } = await (await clientOf(actor)).links.mine({ limit: 1 });
      const [link] = data.items;
      expect(link).toMatchObject({
        parentNodeId: parent?.nodeId,
        campaign: { campaignId: campaign.campaignId },
      });
      expect(await address.textContent()).toBe(`${site.sample.url}/r/${link?.code}`);
      await screenshot(page, 'joined');
      await dialog.getByRole('link', { name: 'Name it, and follow its sales' }).click();
      await page.getByRole('button', { name: `: link ${link?.nodeId}` }).click();
      await page.getByLabel('Name of the link').fill('Newsletter of May');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('button', { name: `Rename: link ${link?.nodeId}` }).waitFor();
      await page.getByText('Newsletter of May').waitFor();
      await page.getByRole('figure', { name: 'Opened' }).waitFor();
      await page.getByText('No link is under yours yet.').waitFor();
      await seeAccessible(page);
      await screenshot(page, 'new-link');
      // The service stores the name under this link's number, which other tests may get.
      await (await clientOf(actor)).links.label({ nodeId: link?.nodeId ?? '', label: null });
    });
  });

  it('signs in within the window to join, which stays open, and asks to join a campaign by invitation', async () => {
    const actor = await earner();
    const campaign = await unjoined(actor);
    const privateKey = generatePrivateKey();
    const newcomer = { ...actor, privateKey, address: privateKeyToAddress(privateKey) };
    const client = createClient({ baseUrl: site.sample.url });
    const invited = { status: 'active', invitationOnly: true } as const;
    const [closed] = (await client.campaigns.list(invited)).data.items;
    if (closed === undefined) throw new Error('the sample has no campaign by invitation');
    for (const path of [pathOf('join'), pathOf('campaign', campaign)]) {
      const { page } = await openWithWallet(actor, { path, width: 390 });
      const { title } = campaign.product;
      const name = path === pathOf('join') ? `Join ${title}` : 'Join this campaign';
      await page.getByRole('button', { name }).click();
      const dialog = page.getByRole('dialog', { name: `Join ${title}` });
      await dialog.getByRole('button', { name: 'Sign in' }).click();
      await dialog.getByRole('button', { name: 'See what you would earn' }).click();
      await dialog.getByText('You earn').first().waitFor();
      await dialog.getByText('with no one').waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `join-signed-in-${path === pathOf('join') ? 'list' : 'campaign'}`);
    }
    const { page } = await openWithWallet(newcomer, { path: pathOf('join') });
    const { title } = closed.product;
    const own = page.getByRole('button', { name: `Ask to join ${title}` });
    await own.waitFor();
    await seeLoaded(page);
    await seeAccessible(page);
    await screenshot(page, 'join-list');
    await own.click();
    const dialog = page.getByRole('dialog', { name: `Ask to join ${title}` });
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByLabel('Message to the merchant').fill('I review coffee.');
    await seeAccessible(page);
    await screenshot(page, 'ask-to-join');
    await dialog.getByRole('button', { name: 'Send the request' }).click();
    await dialog.getByRole('status', { name: 'Your request was sent' }).waitFor();
    await screenshot(page, 'asked-to-join');

    const shop = merchantOf(SAMPLE_SEED, closed.merchant.slug);
    const path = '/console/invitations';
    const opened = await openWithWallet(shop, { path, width: 390, scheme: 'dark' });
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByText('I review coffee.').waitFor();
    await seeLoaded(opened.page);
    await seeAccessible(opened.page);
    await seeNoOverflow(opened.page);
    await screenshot(opened.page, 'console-requests-390');
    await opened.page
      .getByRole('button', { name: /^Decline/ })
      .first()
      .click();
    await opened.page.getByLabel(/^Reason/).fill('We are full.');
    await opened.page.getByRole('button', { name: 'Decline the request' }).click();
    await opened.page.getByText('I review coffee.').waitFor({ state: 'detached' });
    await page.reload();
    await own.click();
    await dialog.getByText('We are full.').waitFor();
  });

  it('accepts an invitation, and joins the campaign', async () => {
    const actor = await earner();
    const campaign = await unjoined(actor);
    const merchant = await clientOf(merchantOf(SAMPLE_SEED, campaign.merchant.slug));
    const { data: sent } = await merchant.invitations.send({
      distributor: actor.address,
      campaignId: campaign.campaignId,
      message: 'Your readers would like this.',
      terms: 'Say that you are paid.',
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    });
    await site.reverting(async () => {
      const { page } = await openWithWallet(actor);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('link', { name: 'Read and answer' }).click();
      const name = `Invitation to ${campaign.product.title}`;
      const item = page.getByRole('article', { name }).first();
      await item.getByText('Your readers would like this.').waitFor();
      await seeAccessible(page);
      await item.getByLabel(/^A word to the merchant/).fill('With pleasure.');
      await item.getByRole('button', { name: 'Accept' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'See what you would earn' }).click();
      await dialog.getByRole('button', { name: 'Join', exact: true }).click();
      await dialog.getByText(/[/]r[/]/).waitFor(PATIENCE);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await item.getByRole('link', { name: 'Your link in this campaign' }).waitFor();
      const { data: answered } = await merchant.invitations.get({ id: sent.id });
      expect(answered).toMatchObject({ status: 'accepted', reason: 'With pleasure.' });
    });
  });

  it('names a campaign that a payout leaves out, and offers the rest', async () => {
    const { page } = await openWithWallet(await earner(), { width: 320 });
    // No token of the sample reverts a claim.
    await page.route('**/v1/me/payouts', async (route) => {
      const response = await route.fetch();
      const body = JSON.parse(await response.text());
      const message = 'The token moved another amount than it was asked to.';
      body.data.leftOut = [{ campaignId: '77', error: 'InexactTransfer', message }];
      await route.fulfill({ response, json: body });
    });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Pay me everything' }).click();
    const payout = page.getByRole('region', { name: 'Payout' });
    const leftOut = payout.getByRole('status', { name: 'Left out of this payout' });
    await leftOut.getByText('Campaign 77: The token moved another amount').waitFor();
    await payout.getByRole('button', { name: 'Sign and send' }).waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'payout-left-out-320');
  });

  it('pays everything in one flow, which continues after a rejected transaction', async () => {
    const actor = await earner();
    const client = await clientOf(actor);
    const { data: plan } = await client.payouts.prepareAll();
    expect(plan.transactions.map(({ step }) => step)).toEqual(['FINALIZE', 'CLAIM']);
    let sent = 0;
    await site.reverting(async () => {
      const { page, requested } = await openWithWallet(actor, {
        // The second transaction is rejected once.
        refuses: (method) => method === 'eth_sendTransaction' && ++sent === 2,
      });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Pay me everything' }).click();
      const payout = page.getByRole('region', { name: 'Payout' });
      await payout.getByRole('table', { name: 'What you are paid, by campaign' }).waitFor();
      await seeAccessible(page);
      await screenshot(page, 'payout-plan');
      await payout.getByRole('button', { name: 'Sign and send' }).click();
      await payout.getByText('You rejected the request in your wallet.').waitFor(PATIENCE);
      await payout.getByRole('button', { name: 'Sign and send' }).click();
      const paid = payout.getByRole('table', { name: 'Payments' });
      await paid.waitFor(PATIENCE);
      // Finalized once, and claimed at the second attempt.
      expect(requested.filter((method) => method === 'eth_sendTransaction')).toHaveLength(3);
      const { data: claims } = await client.earnings.claims({ limit: plan.campaignIds.length });
      const due = plan.byToken.map(({ token, claimable, readyToFinalize }) => [
        token.symbol,
        BigInt(claimable) + BigInt(readyToFinalize),
      ]);
      for (const [symbol, amount] of due) {
        const amounts = claims.items.filter(({ token }) => token.symbol === symbol);
        expect(amounts.reduce((sum, one) => sum + BigInt(one.amount), 0n)).toBe(amount);
      }
      expect(await paid.getByRole('rowheader').count()).toBe(plan.campaignIds.length);
      expect(await page.getByRole('button', { name: 'Pay me everything' }).count()).toBe(0);
      await seeAccessible(page);
      await screenshot(page, 'payout-done');
    });
  });

  it('saves the statement as the CSV file that the API makes', async () => {
    const actor = await earner();
    const { page } = await openWithWallet(actor, { path: '/me?tab=statements' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('By', { exact: true }).selectOption('day');
    await page.getByRole('table', { name: 'Movements in TUSD' }).waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download as CSV' }).click(),
    ]);
    const { data } = await (await clientOf(actor)).statements.csv({ interval: 'day' });
    expect(download.suggestedFilename()).toBe(data.fileName);
    expect(data.rows).toBeGreaterThan(3);
    // With the mark by which spreadsheets know UTF-8.
    expect(await readFile(await download.path(), 'utf8')).toBe(`\ufeff${data.csv}`);
    const [byLine] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download every line' }).click(),
    ]);
    const text = await readFile(await byLine.path(), 'utf8');
    expect(text.split('\r\n').length).toBeGreaterThan(data.rows);
    expect(text).toContain('Earned, on hold');
    await seeAccessible(page);
    await screenshot(page, 'me-statements-1280');
  });

  it('changes the public profile after a signature, and shows what the API refuses', async () => {
    const actor = await earner();
    const { page, requested, expectError } = await openWithWallet(actor, {
      path: '/me?tab=profile',
    });
    // A change needs a new signature first; then the handle is refused.
    expectError(/HTTP 40[39]|409|403/);
    const handle = page.getByRole('textbox', { name: 'Handle' });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await handle.fill('north-wind');
    await page.getByRole('radio', { name: /^Everybody/ }).check();
    await page.getByText('/distributors/north-wind').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/north-wind belongs to another account/).waitFor();
    expect(await handle.getAttribute('aria-invalid')).toBe('true');
    await handle.fill('');
    await page.getByRole('radio', { name: /^No other account/ }).check();
    await page.getByRole('textbox', { name: 'Name' }).fill('Weekly finds');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    expect(requested.filter((method) => method === 'personal_sign').length).toBeGreaterThan(1);
    const client = await clientOf(actor);
    expect((await client.reputation.mine()).data).toMatchObject({
      displayName: 'Weekly finds',
      handle: null,
      visibility: 'pseudonymous',
    });
    await client.reputation.updateVisibility({ visibility: 'pseudonymous', displayName: null });
  });

  it('saves the data of the account as a file, and deletes the account after a signature', async () => {
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const privateKey = generatePrivateKey();
      const actor = { name: 'Leaver', privateKey, address: privateKeyToAddress(privateKey) };
      const before = await clientOf(actor);
      await before.reputation.updateVisibility({ visibility: 'public', displayName: 'Leaving' });
      const path = '/me?tab=account';
      const { page, requested, expectError } = await openWithWallet(actor, { path, width, scheme });
      expectError(/HTTP 40[13]|401|403/);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download my data' }).click(),
      ]);
      const rows: { table: string }[] = JSON.parse(await readFile(await download.path(), 'utf8'));
      expect(rows.map(({ table }) => table)).toEqual(['session', 'session', 'distributor']);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `me-data-${width}-${scheme}`);

      await page.getByRole('button', { name: 'Delete my account' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText(/cannot be undone/).waitFor();
      await seeAccessible(page);
      await screenshot(page, `me-delete-${width}-${scheme}`);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('button', { name: 'Delete my account' }).click();
      await dialog.getByRole('button', { name: 'Delete for good' }).click();
      await dialog.getByRole('heading', { name: 'Your account is deleted' }).waitFor();
      expect(requested.filter((method) => method === 'personal_sign')).toHaveLength(2);
      await screenshot(page, `me-deleted-${width}-${scheme}`);
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click();
      await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
      await expect(before.auth.session()).rejects.toMatchObject({ status: 401 });
      const { data } = await (await clientOf(actor)).account.export({});
      expect(data.items.map(({ table }) => table)).toEqual(['session']);
    }
  });

  it('says what is open of a merchant whose account cannot be deleted', async () => {
    const actor = merchantOf(SAMPLE_SEED, 'harbor-roasters');
    const { page, expectError } = await openWithWallet(actor, { path: '/me?tab=account' });
    expectError(/HTTP 40[13]|401|403/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Delete my account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await dialog.getByText(/campaigns? takes? sales/).waitFor();
    await seeAccessible(page);
    await screenshot(page, 'me-delete-blocked');
    expect(await dialog.getByText(/This cannot be undone/).count()).toBe(1);
  });

  /** A distributor without a handle who has rewards to claim, and others to finalize first. */
  async function earner(): Promise<Actor> {
    const actor = distributors[6];
    if (actor === undefined) throw new Error('the sample has fewer distributors');
    return actor;
  }

  /** A campaign that takes sales and in which an account has no link. */
  async function unjoined(actor: Actor) {
    const client = await clientOf(actor);
    const query = { status: 'active', excludeJoined: true, invitationOnly: false } as const;
    const [campaign] = (await client.campaigns.list(query)).data.items;
    if (campaign === undefined) throw new Error('the account has joined every campaign');
    return campaign;
  }
});

/** Waits until nothing on the page is loading. */
async function seeLoaded(page: Page): Promise<void> {
  await expect.poll(() => page.getByText(/^Loading/).count(), PATIENCE).toBe(0);
}
