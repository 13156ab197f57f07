import { readFile } from 'node:fs/promises';
import type { Page, Response } from 'playwright-core';
import { createTestClient, type Hex, http, publicActions, walletActions } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { expect, it } from 'vitest';
import { testTokenAbi } from '../../abis/testToken.ts';
import { createClient } from '../../engine/client/index.ts';
import { pathOf } from '../../engine/contract/pages.ts';
import { actorsOf, merchantOf } from '../../sample/actors.ts';
import { productPictures } from '../../sample/pictures/index.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { mined } from '../support/chain.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { scheduledLink, seeOutlook } from './support/scheduled-link.ts';
import { describeInBrowser, type Site } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

/** Longer than a busy machine takes from a transaction to a settled sale. */
const PATIENCE = { timeout: 30_000 };

describeInBrowser('Buying through a link', (site) => {
  it('shows what a link sells, who earns from it and its share card, and counts one visit', async () => {
    const { url } = site.sample;
    const { code, nodeId, product, token, price } = await soldLink(url);
    for (const [width, scheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      let opened: Promise<Response> | undefined;
      const { page } = await site.open(pathOf('link', { code }), {
        width,
        scheme,
        prepare: async (fresh) => {
          opened = fresh.waitForResponse((response) => response.url().endsWith(`/${code}/open`));
          opened.catch(() => {});
        },
      });
      expect(await (await opened)?.json()).toMatchObject({ data: { nodeId } });
      await page.getByRole('heading', { name: product.title, level: 1 }).waitFor();
      await page.getByText('This link earns its owner').waitFor();
      await page.getByText('You pay the same price').waitFor();
      expect(await page.locator('data').first().getAttribute('value')).toBe(price);
      expect(await page.locator('data').first().textContent()).toContain(token.symbol);
      const picture = page.getByRole('img', { name: productPictures[product.id]?.alt ?? '' });
      await expect
        .poll(
          () => picture.evaluate((img) => (img as { naturalWidth?: number }).naturalWidth),
          PATIENCE,
        )
        .toBe(1200);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `link-${width}-${scheme}`);
      // Reloading is the same visit.
      const again: string[] = [];
      page.on('request', (request) => again.push(request.url()));
      await page.reload();
      await page.getByText('This link earns its owner').waitFor();
      expect(again.filter((one) => one.endsWith('/open'))).toEqual([]);
      await page.getByRole('button', { name: 'Share this link' }).click();
      const address = `${url}${pathOf('link', { code })}`;
      await page.getByRole('img', { name: `QR code of ${address}` }).waitFor();
      const card = page.getByRole('img', { name: /^Share card/ });
      await expect
        .poll(
          () => card.evaluate((img) => (img as { naturalWidth?: number }).naturalWidth),
          PATIENCE,
        )
        .toBe(1200);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `share-${width}-${scheme}`);
    }
  });

  it('shows the remaining budget and the next policy of a link before they change what it earns', async () => {
    const link = await scheduledLink(site.sample.url);
    for (const [width, scheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const { page } = await site.open(pathOf('link', { code: link.code ?? '' }), {
        width,
        scheme,
      });
      await seeOutlook(page, link);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `link-outlook-${width}-${scheme}`);
    }
  });

  it('shows a product with its variants, and leads to its checkout without a link', async () => {
    const { url } = site.sample;
    const { campaignId, product } = await selling(url, 'barista');
    const { page, expectError } = await site.open(pathOf('product', { productId: product.id }), {
      width: 320,
    });
    expectError(/401/);
    await page.getByText('no one earns a reward').waitFor();
    await page.getByLabel('Professional kit').check();
    await page.getByRole('button', { name: 'Share it', exact: true }).waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'product-320');
    await page.getByRole('link', { name: 'Buy', exact: true }).click();
    await page.getByText('This browser has no wallet.').waitFor();
    const { data } = await createClient({ baseUrl: url }).prices.list({
      campaignId,
      current: true,
    });
    const chosen = data.items.find(({ variant }) => variant?.name === 'Professional kit');
    expect(new URL(page.url()).searchParams.get('sku')).toBe(chosen?.skuHash);
    const shown = page.getByRole('region', { name: 'Your order' }).locator('data');
    expect(await shown.first().getAttribute('value')).toBe(chosen?.price);
    await seeNoOverflow(page);
  });

  it('says that a code is mistyped, and that a link does not exist', async () => {
    const { code } = await soldLink(site.sample.url);
    const typo = code.replace(/.$/, (last) => (last === 'Z' ? 'Y' : 'Z'));
    const mistyped = await site.open(pathOf('link', { code: typo }));
    await mistyped.page.getByRole('heading', { name: 'This link is mistyped' }).waitFor();
    await seeAccessible(mistyped.page);
    const unknown = await site.open(pathOf('link', { code: '7ZZZZZZZZZZWT' }));
    unknown.expectError(/404/);
    await unknown.page.getByText('was not found').waitFor();
  });

  it('refuses the owner of a link before the payment, if the policy excludes self-referral', async () => {
    const api = createClient({ baseUrl: site.sample.url });
    const { campaignId, policy } = await selling(site.sample.url, 'barista');
    expect(policy.excludesSelfReferral).toBe(true);
    const [node] = (await api.graph.forCampaign({ campaignId, limit: 1 })).data.items;
    const { distributors } = actorsOf(SAMPLE_SEED);
    const owner = distributors.find(({ address }) => address.toLowerCase() === node?.owner);
    if (node?.code == null || owner === undefined) throw new Error('the campaign has no link');
    const { page, expectError } = await site.open(pathOf('link', { code: node.code }), {
      width: 390,
      prepare: async (opened) => {
        await giveWallet(opened, { privateKey: owner.privateKey, rpcUrl: site.sample.rpcUrl });
      },
    });
    expectError(/401/);
    await page.getByRole('link', { name: 'Buy', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page
      .getByText(`the buyer owns link ${node.nodeId}, which the sale would reward`)
      .waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'checkout-self-referral-390');
    await page.setViewportSize({ width: 1280, height: 900 });
    await screenshot(page, 'checkout-self-referral');
    const begin = page.getByRole('button', { name: 'Continue to the payment' });
    expect(await begin.count()).toBe(0);
    await page.getByRole('link', { name: 'Buy without a link' }).click();
    await begin.waitFor();
  });

  it('buys, follows the payment to the receipt, continues after a reload, delivers, and asks for a refund', async () => {
    const { code, product, token, price, holdSeconds } = await soldLink(site.sample.url);
    const chain = chainOf(site);
    await site.reverting(async () => {
      const privateKey = generatePrivateKey();
      const buyer = privateKeyToAddress(privateKey);
      await chain.setBalance({ address: buyer, value: 10n ** 20n });
      const { page, expectError } = await site.open(pathOf('link', { code }), {
        width: 390,
        prepare: async (opened) => {
          await giveWallet(opened, { privateKey, rpcUrl: site.sample.rpcUrl });
        },
      });
      expectError(/401/);
      await page.getByRole('link', { name: 'Buy', exact: true }).click();
      await page.getByRole('button', { name: 'Sign in' }).click();
      // Nothing can be begun without the money for it.
      await page.getByText(`Too little ${token.symbol}.`).waitFor();
      const begin = page.getByRole('button', { name: 'Continue to the payment' });
      expect(await begin.isDisabled()).toBe(true);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-too-little');
      await mint(site, buyer, { token: token.address, price: BigInt(price) });
      await expect.poll(() => begin.isEnabled(), PATIENCE).toBe(true);
      await begin.click();
      await page.getByRole('button', { name: 'Approve and buy' }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-pay');
      // The purchase is in the address: a page that was closed goes on where it was.
      await page.reload();
      await page.getByRole('button', { name: 'Approve and buy' }).click();
      await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
      await page.getByText('when the hold of the sale is over').waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-paid');
      await page.getByRole('link', { name: 'Your receipt' }).click();
      await page.getByRole('heading', { name: product.title, level: 1 }).waitFor();
      await verifyReceipt(page, site);
      const [, saleId = ''] = /\/(\d+)$/.exec(new URL(page.url()).pathname) ?? [];

      await page.goto(pathOf('purchases'));
      await page.getByRole('button', { name: `Ask for a refund of sale ${saleId}` }).click();
      await page.getByRole('button', { name: 'Ask for the refund' }).click();
      await page.getByText('Say what is wrong, in a few words.').waitFor();
      await page.getByLabel(`Amount in ${token.symbol}`).fill('999999999');
      await page.getByLabel('Message to the merchant').fill('The icons do not open.');
      await page.getByRole('button', { name: 'Ask for the refund' }).click();
      await page.getByText(/^At most [\d.]+[.]$/).waitFor();
      await seeAccessible(page);
      await screenshot(page, 'refund-form');
      await page.getByLabel(`Amount in ${token.symbol}`).fill('1.5');
      await page.getByRole('button', { name: 'Ask for the refund' }).click();
      await page.getByRole('button', { name: `Show the refund request of sale ${saleId}` }).click();
      await page.getByText('The icons do not open.').waitFor();
      expect(await page.locator('[role=dialog] data').first().getAttribute('value')).toBe(
        String(15n * 10n ** BigInt(token.decimals - 1)),
      );
      await page.getByLabel('Message to the merchant').fill('It works after all.');
      await page.getByRole('button', { name: 'Send the message' }).click();
      await page.getByText('It works after all.', { exact: false }).first().waitFor();
      await seeNoOverflow(page);
      await screenshot(page, 'refund-thread');
      await page.getByRole('button', { name: 'Withdraw the request' }).click();
      await page.getByText('Ask again').waitFor();
      await page.keyboard.press('Escape');

      await chain.increaseTime({ seconds: holdSeconds + 60 });
      await chain.mine({ blocks: 1 });
      const get = page.getByRole('button', { name: new RegExp(`: sale ${saleId}$`) });
      await expect.poll(() => reloaded(page, () => get.textContent()), PATIENCE).toBe('Get it');
      await get.click();
      const link = page.getByRole('link', { name: 'Download the file' });
      const file = await page.request.get((await link.getAttribute('href')) ?? '');
      expect([file.status(), (await file.body()).length > 0]).toEqual([200, true]);
      await screenshot(page, 'purchases-download');
    });
  });

  it('asks for contact and address where the product needs them, through a reload, and shows them to the merchant', async () => {
    const { campaignId, product, token, price, merchant } = await selling(
      site.sample.url,
      'barista',
    );
    await site.reverting(async () => {
      const privateKey = generatePrivateKey();
      const buyer = privateKeyToAddress(privateKey);
      await chainOf(site).setBalance({ address: buyer, value: 10n ** 20n });
      await mint(site, buyer, { token: token.address, price: BigInt(price) });
      const { page, expectError } = await site.open(pathOf('checkout', { campaignId }), {
        width: 390,
        prepare: async (opened) => {
          await giveWallet(opened, { privateKey, rpcUrl: site.sample.rpcUrl });
        },
      });
      expectError(/401/);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const begin = page.getByRole('button', { name: 'Continue to the payment' });
      await expect.poll(() => begin.isEnabled(), PATIENCE).toBe(true);
      await page.getByText(`Write to ${merchant.name}`).waitFor();
      await begin.click();
      for (const text of [
        'Enter your e-mail address.',
        'Enter who receives it.',
        'Enter a city.',
      ]) {
        await page.getByText(text).waitFor();
      }
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-details-issues-390');
      await page.getByLabel('E-mail').fill('ada@example.com');
      await page.getByLabel('Name', { exact: true }).fill('Ada Nordmann');
      await page.getByLabel('Street and number').fill('Storgata 7');
      await page.getByLabel('Postal code').fill('6002');
      await page.getByLabel('City').fill('Ålesund');
      await page.getByLabel('Country').selectOption({ label: 'Norway' });
      await page.getByLabel(/^Note to the merchant/).fill('Ring twice.');
      await page.setViewportSize({ width: 1280, height: 900 });
      await screenshot(page, 'checkout-details');
      await begin.click();
      const pay = page.getByRole('button', { name: 'Approve and buy' });
      await pay.waitFor(PATIENCE);
      await page.reload();
      await page.getByText('Storgata 7').waitFor();
      await page.getByRole('button', { name: 'Change these details' }).click();
      expect(await page.getByLabel('Country').inputValue()).toBe('NO');
      await page.getByLabel('Street and number').fill('Storgata 9');
      await page.getByRole('button', { name: 'Save these details' }).click();
      await page.getByText('Storgata 9').waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-details-given');
      await pay.click();
      await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
      await page.getByText('Storgata 9').waitFor();
      await page.setViewportSize({ width: 390, height: 900 });
      await seeNoOverflow(page);
      await screenshot(page, 'checkout-details-paid-390');

      await page.goto(pathOf('purchases'));
      const row = page.getByRole('row', { name: new RegExp(product.title) });
      await row.getByRole('link', { name: product.title }).waitFor();
      expect(await row.locator('img').first().getAttribute('src')).toMatch(/^[/]media[/]/);
      expect(await row.textContent()).not.toMatch(/#[0-9]|version/);
      const help = row.getByRole('link', { name: /^Get help/ });
      expect(await help.getAttribute('href')).toMatch(/^mailto:hello%40harbor-roasters/);
      for (const [width, scheme] of [
        [390, 'dark'],
        [1280, 'light'],
      ] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await seeAccessible(page);
        await seeNoOverflow(page);
        await screenshot(page, `purchases-${width}-${scheme}`);
      }

      const saleId = /\/(\d+)$/.exec(
        (await row.getByRole('link', { name: product.title }).getAttribute('href')) ?? '',
      )?.[1];
      const shop = merchantOf(SAMPLE_SEED, merchant.slug);
      const console = await site.open(`/console/orders?sale=${saleId}`, {
        prepare: async (opened) => {
          const { rpcUrl } = site.sample;
          await giveWallet(opened, { privateKey: shop.privateKey, rpcUrl });
        },
      });
      console.expectError(/401/);
      await console.page.getByRole('button', { name: 'Sign in' }).click();
      await console.page.getByText('Storgata 9').waitFor();
      await console.page.getByText('Ring twice.').waitFor();
      await seeAccessible(console.page);
      await screenshot(console.page, 'console-order-details');
      await console.page.getByRole('link', { name: 'All orders' }).click();
      const download = console.page.waitForEvent('download');
      await console.page.getByRole('button', { name: 'Delivery details as CSV' }).click();
      const csv = await readFile(await (await download).path(), 'utf8');
      expect(csv.split('\r\n')[1]).toMatch(
        new RegExp(
          `^"${saleId}","${product.title}","129","TUSD",.*"ada@example.com","Ada Nordmann"`,
        ),
      );
      expect(csv).toContain('"6002","Ålesund","","NO","Ring twice."');
      await screenshot(console.page, 'console-orders');
    });
  });

  it('pays in one step with a wallet that can, once, although the page was closed while it waited', async () => {
    const { code, token, price } = await soldLink(site.sample.url);
    await site.reverting(async () => {
      const privateKey = generatePrivateKey();
      const buyer = privateKeyToAddress(privateKey);
      await chainOf(site).setBalance({ address: buyer, value: 10n ** 20n });
      await mint(site, buyer, { token: token.address, price: BigInt(price) });
      let isUndecided = true;
      let requested: string[] = [];
      const { page, expectError } = await site.open(pathOf('link', { code }), {
        width: 390,
        prepare: async (opened) => {
          const { rpcUrl } = site.sample;
          const thinks = () => isUndecided;
          requested = await giveWallet(opened, { privateKey, rpcUrl, thinks });
        },
      });
      expectError(/401/);
      await page.getByRole('link', { name: 'Buy', exact: true }).click();
      await page.getByRole('button', { name: 'Sign in' }).click();
      const begin = page.getByRole('button', { name: 'Continue to the payment' });
      await expect.poll(() => begin.isEnabled(), PATIENCE).toBe(true);
      await begin.click();
      const pay = page.getByRole('button', { name: 'Approve and buy' });
      await pay.click();
      const waiting = page.getByText('Your wallet does all steps in one.').first();
      await waiting.waitFor(PATIENCE);
      await seeAccessible(page);
      await screenshot(page, 'checkout-one-step');
      await page.reload();
      await pay.waitFor();
      expect(await page.getByRole('button', { name: 'Cancel this purchase' }).count()).toBe(0);
      await pay.click();
      await waiting.waitFor(PATIENCE);
      isUndecided = false;
      await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
      expect(requested.filter((method) => method === 'wallet_sendCalls')).toHaveLength(1);
      expect(requested).not.toContain('eth_sendTransaction');
      const api = createClient({ baseUrl: site.sample.url });
      const bought = async () => (await api.receipts.recent({ buyer })).data.items.length;
      await expect.poll(bought, PATIENCE).toBe(1);
    });
  });
});

/** Reads a page again after loading it again. */
async function reloaded<T>(page: Page, read: () => Promise<T>): Promise<T> {
  await page.reload();
  return await read();
}

/** Lets the receipt be checked in the page, against the sample's chain. */
async function verifyReceipt(page: Page, { sample }: Site): Promise<void> {
  await page.getByRole('link', { name: 'Verify it yourself' }).click();
  await page.getByLabel(`RPC of chain ${foundry.id}`).fill(sample.rpcUrl);
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
  await page.getByRole('button', { name: 'It is the contract that I expect' }).click(PATIENCE);
  await page.getByRole('heading', { name: 'This receipt matches the chain' }).waitFor(PATIENCE);
}

function chainOf({ sample }: Site) {
  return createTestClient({ chain: foundry, mode: 'anvil', transport: http(sample.rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
}

async function mint(
  site: Site,
  buyer: Hex,
  { token, price }: { readonly token: Hex; readonly price: bigint },
): Promise<void> {
  const chain = chainOf(site);
  await chain.impersonateAccount({ address: buyer });
  const call = { address: token, abi: testTokenAbi, account: buyer } as const;
  await mined(
    chain,
    await chain.writeContract({ ...call, functionName: 'mint', args: [buyer, price] }),
  );
}

/** A campaign of the sample that sells now, paid on the chain, by words of its product's title. */
async function selling(baseUrl: string, q: string) {
  const query = { status: 'active', source: 'NATIVE_ONCHAIN', q } as const;
  const [campaign] = (await createClient({ baseUrl }).campaigns.list(query)).data.items;
  if (campaign === undefined) throw new Error(`the sample has no campaign that sells a ${q}`);
  return campaign;
}

/** A link of the sample's campaign that sells a download. */
async function soldLink(baseUrl: string) {
  const api = createClient({ baseUrl });
  const { campaignId, product, token, price, policy } = await selling(baseUrl, 'icon library');
  const [node] = (await api.graph.forCampaign({ campaignId, limit: 1 })).data.items;
  if (node?.code == null) throw new Error(`campaign ${campaignId} has no link`);
  const { nodeId, code } = node;
  return { nodeId, code, product, token, price, holdSeconds: policy.holdSeconds };
}
