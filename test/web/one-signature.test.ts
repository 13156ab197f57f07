import type { Page } from 'playwright-core';
import type { Hex } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import { foundry } from 'viem/chains';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { signedTokenAbi, signedTokenBytecode } from '../../abis/test/signedToken.ts';
import { createClient } from '../../engine/client/index.ts';
import { pathOf } from '../../engine/contract/pages.ts';
import { readIntent } from '../../engine/db/commerce/intents.ts';
import { signaturesFor } from '../../engine/http/resources/relayer/order.ts';
import { relayOrders, reportRelayer } from '../../engine/keeper/relay-orders.ts';
import { startRelayer } from '../../engine/keeper/start-relayer.ts';
import { merchantOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { mined, testClient } from '../support/chain.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { type SampleRelayer, sampleRelayer } from './support/relayer.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

/** Longer than a busy machine takes from a signature to a settled sale. */
const PATIENCE = { timeout: 30_000 };

const merchant = merchantOf(SAMPLE_SEED, 'northlight-studio');
const SWITCH = "Let buyers pay with one signature; the service's relayer pays the gas";
const NO_RELAYER = 'This service runs no relayer now, so this has no effect yet.';
/** Where a page asks what to sign. */
const ORDER_URL = '**/v1/checkout/intents/*/order';
const nothing = async (_page: Page) => {};
const log = { info: () => {}, warn: () => {} };

describeInBrowser('Buying with one signature', (site) => {
  let relayer: SampleRelayer;
  beforeAll(async () => {
    relayer = await sampleRelayer();
  });
  afterEach(async () => {
    await relayer.forget();
  });
  afterAll(async () => {
    await relayer.pool`update commerce.campaign_settings set one_signature = false`;
    await relayer.close();
  });

  it('lets the merchant turn it on, and says what it costs and whether it has an effect', async () => {
    const { campaignId } = await sold(site.sample.url);
    const path = `/console/campaigns?campaign=${campaignId}`;
    const { page, expectError } = await site.open(path, {
      prepare: async (opened) => {
        await giveWallet(opened, {
          ...{ privateKey: merchant.privateKey, rpcUrl: site.sample.rpcUrl },
        });
      },
    });
    expectError(/401/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('tab', { name: 'Settings' }).click();
    const box = page.getByLabel(SWITCH);
    await box.waitFor();
    await page.getByText(NO_RELAYER).waitFor(PATIENCE);
    await seeBoth(page, 'console-one-signature-none');
    await relayer.fund();
    await reportRelayer(relayer.options);
    await page.getByText(NO_RELAYER).waitFor({ ...PATIENCE, state: 'detached' });
    await box.check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    await expect.poll(() => box.isChecked(), PATIENCE).toBe(true);
    await seeBoth(page, 'console-one-signature');
  });

  it('needs no gas and one signature, goes on after a reload, and is paid when the sale is recorded', async () => {
    const { rpcUrl } = site.sample;
    const chain = testClient(rpcUrl);
    await site.reverting(async () => {
      const { page, buyer, requested } = await begun({ rejects: 1 });
      const pay = page.getByRole('button', { name: 'Pay with one signature' });
      await page.getByText('pays the gas for the merchant').waitFor();
      await seeBoth(page, 'checkout-one-signature');
      await pay.click();
      await page.getByText('You rejected the request in your wallet.').waitFor();
      await pay.click();
      const waiting = page.getByText('Nothing is paid yet.');
      await waiting.waitFor(PATIENCE);
      await page.reload();
      await waiting.waitFor(PATIENCE);
      await seeBoth(page, 'checkout-order-waiting');
      await chain.setAutomine(false);
      const running = startRelayer({ ...relayer.options, everyMs: 200, log });
      try {
        await page.getByText('The service has sent your order.').waitFor(PATIENCE);
        await seeBoth(page, 'checkout-order-sent');
        expect(await page.getByRole('status', { name: 'Paid' }).count()).toBe(0);
        await chain.mine({ blocks: 1 });
        await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
        await page.getByRole('link', { name: 'Your receipt' }).waitFor();
        await seeBoth(page, 'checkout-order-paid');
      } finally {
        await running.stop();
        await relayer.forget();
        await chain.setAutomine(true);
      }
      expect(requested.filter((method) => /sign|send/i.test(method))).toEqual([
        ...['personal_sign', 'eth_signTypedData_v4', 'eth_signTypedData_v4'],
      ]);
      expect(await chain.getBalance({ address: buyer })).toBe(0n);
      const api = createClient({ baseUrl: site.sample.url });
      expect((await api.receipts.recent({ buyer })).data.items).toHaveLength(1);
    });
  });

  it('asks the wallet for nothing that is not the order, and leaves the ordinary way if it is refused', async () => {
    const chain = testClient(site.sample.rpcUrl);
    await site.reverting(async () => {
      const { page, buyer, requested, expectError } = await begun({ prepare: forge });
      const pay = page.getByRole('button', { name: 'Pay with one signature' });
      await pay.click();
      await page.getByText(/^Nothing was signed.* AUTHORIZATION[.]to is "0x9{40}"/).waitFor();
      expect(requested).not.toContain('eth_signTypedData_v4');
      await seeBoth(page, 'checkout-order-forged');
      // The other way is open, too.
      const ordinary = page.getByRole('button', { name: 'Approve and buy' });
      await page.getByRole('button', { name: 'Pay by a transaction instead' }).click();
      await ordinary.waitFor();
      await page.unrouteAll();
      await page.reload();
      await pay.waitFor(PATIENCE);
      // The budget ends between the offer and the signature.
      const spent = { merchant: 0n, total: 0n };
      await reportRelayer({ ...relayer.options, budget: spent });
      expectError(/422/);
      await pay.click();
      await page.getByText(/may spend for this merchant today is used up/).waitFor(PATIENCE);
      await ordinary.waitFor(PATIENCE);
      await seeBoth(page, 'checkout-order-rejected');
      await reportRelayer(relayer.options);
      await page.reload();
      await pay.click();
      await page.getByText('Nothing is paid yet.').waitFor(PATIENCE);
      await relayOrders({ ...relayer.options, maxGas: 100_000n });
      await page.getByText('needs more gas than the relayer may use').waitFor(PATIENCE);
      await ordinary.waitFor();
      await seeBoth(page, 'checkout-order-refused');
      await chain.setBalance({ address: buyer, value: 10n ** 20n });
      await ordinary.click();
      await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
    });
  });

  it('says that an order expired before a block had it, and lets the buyer go on or cancel', async () => {
    await site.reverting(async () => {
      const { page } = await begun({});
      await page.getByRole('button', { name: 'Pay with one signature' }).click();
      await page.getByText('Nothing is paid yet.').waitFor(PATIENCE);
      const { chain } = relayer.options;
      const head = { ...(await chain.head()), timestamp: Math.floor(Date.now() / 1_000) + 3_600 };
      await relayOrders({ ...relayer.options, chain: { ...chain, head: async () => head } });
      await page.getByRole('status', { name: 'Your signed order has expired' }).waitFor(PATIENCE);
      await page.getByRole('button', { name: 'Approve and buy' }).waitFor();
      await seeBoth(page, 'checkout-order-expired');
      await page.getByRole('button', { name: 'Cancel this purchase' }).click();
      await page.getByRole('status', { name: 'This purchase was cancelled' }).waitFor(PATIENCE);
    });
  });

  it('asks for two signatures where the token takes permits alone, and still needs no gas', async () => {
    const chain = testClient(site.sample.rpcUrl);
    await site.reverting(async () => {
      const { page, buyer, requested } = await begun({ prepare: offerPermit });
      await page.getByText('Your wallet asks twice').waitFor();
      await seeBoth(page, 'checkout-two-signatures');
      await page.getByRole('button', { name: 'Pay with two signatures' }).click();
      await page.getByText('Nothing is paid yet.').waitFor(PATIENCE);
      expect((await relayOrders(relayer.options)).outcome).toBe('sent');
      await page.getByRole('status', { name: 'Paid' }).waitFor(PATIENCE);
      await relayer.forget();
      expect(requested.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(2);
      expect(await chain.getBalance({ address: buyer })).toBe(0n);
    });
  });

  /** Offers a permit, as for a token without authorizations: of this one, the service remembers that it has them. */
  async function offerPermit(page: Page): Promise<void> {
    await page.route(ORDER_URL, async (route) => {
      if (route.request().method() !== 'GET') return await route.continue();
      const response = await route.fetch();
      const { data, meta } = await response.json();
      // Once the order is signed, there is no offer.
      const [first] = data.signatures;
      if (first === undefined) return await route.fulfill({ response });
      const { typedData } = first;
      const intent = await readIntent(relayer.pool, {
        ...{ id: data.intentId, buyer: typedData.message.from },
      });
      if (intent === undefined) throw new Error('there is no intent');
      const { contractAddress } = site.sample;
      const deployment = { chainId: foundry.id, contractAddress };
      const deps = { deployment } as Parameters<typeof signaturesFor>[0];
      const permit = { kind: 'permit', domain: typedData.domain, nonce: 0n } as const;
      const signatures = signaturesFor(deps, intent, permit);
      await route.fulfill({
        response,
        json: { data: { ...data, payment: 'permit', signatures }, meta },
      });
    });
  }

  /** A purchase up to its payment, by a new buyer with enough tokens and no coin for gas. */
  async function begun({ rejects = 0, prepare = nothing }) {
    const { rpcUrl, url } = site.sample;
    const { code, token, price } = await sold(url);
    const privateKey = generatePrivateKey();
    const buyer = privateKeyToAddress(privateKey);
    await payableBySignature(rpcUrl, token.address, { buyer, price: BigInt(price) });
    await relayer.fund();
    await reportRelayer(relayer.options);
    let requested: string[] = [];
    let left = rejects;
    const refuses = (method: string) => {
      if (method !== 'eth_signTypedData_v4' || left === 0) return false;
      left -= 1;
      return true;
    };
    const { page, expectError } = await site.open(pathOf('link', { code }), {
      width: 390,
      prepare: async (opened) => {
        requested = await giveWallet(opened, { privateKey, rpcUrl, refuses });
        await prepare(opened);
      },
    });
    expectError(/401/);
    await page.getByRole('link', { name: 'Buy', exact: true }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    const begin = page.getByRole('button', { name: 'Continue to the payment' });
    await expect.poll(() => begin.isEnabled(), PATIENCE).toBe(true);
    await begin.click();
    await page.getByRole('button', { name: /^Pay with (?:one|two) signature/ }).waitFor(PATIENCE);
    return { page, buyer, requested, expectError };
  }
});

/** Answers with an authorization that pays someone else. */
async function forge(page: Page): Promise<void> {
  await page.route(ORDER_URL, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    const body = text.replace(/"to":"0x[0-9a-f]{40}"/, `"to":"0x${'9'.repeat(40)}"`);
    await route.fulfill({ response, body });
  });
}

/** Gives a token of the sample the code of one that takes signatures (EIP-3009), and a buyer enough of it. */
async function payableBySignature(
  rpcUrl: string,
  address: Hex,
  { buyer, price }: { readonly buyer: Hex; readonly price: bigint },
): Promise<void> {
  const chain = testClient(rpcUrl);
  const { data: bytecode } = await chain.call({ data: signedTokenBytecode });
  if (bytecode === undefined) throw new Error('the token has no code');
  await chain.setCode({ address, bytecode });
  const account = merchant.address;
  await chain.impersonateAccount({ address: account });
  await chain.setBalance({ address: account, value: 10n ** 18n });
  const call = { address, abi: signedTokenAbi, account } as const;
  const mint = { ...call, functionName: 'mint', args: [buyer, price] } as const;
  await mined(chain, await chain.writeContract(mint));
}

/** Takes a page in two widths, and expects that both are accessible and wide enough. */
async function seeBoth(page: Page, name: string): Promise<void> {
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, `${name}-${width}`);
  }
}

/** A link of the sample's campaign that sells a download. */
async function sold(baseUrl: string) {
  const api = createClient({ baseUrl });
  const query = { status: 'active', source: 'NATIVE_ONCHAIN', q: 'icon library' } as const;
  const [campaign] = (await api.campaigns.list(query)).data.items;
  if (campaign === undefined) throw new Error('the sample sells no icon library');
  const { campaignId, token, price } = campaign;
  const [node] = (await api.graph.forCampaign({ campaignId, limit: 1 })).data.items;
  if (node?.code == null) throw new Error(`campaign ${campaignId} has no link`);
  return { campaignId, code: node.code, token, price };
}
