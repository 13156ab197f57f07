import { createTestClient, http } from 'viem';
import { foundry } from 'viem/chains';
import { expect, it } from 'vitest';
import { createClient } from '../../engine/client/index.ts';
import { actorsOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';
import { waitFor } from '../support/wait-for.ts';
import { type PageOptions, screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';
import { giveWallet } from './support/test-wallet.ts';

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 20_000 };

const { distributors } = actorsOf(SAMPLE_SEED);

describeInBrowser('The own account', (site) => {
  /** Opens the page with the wallet of one of the sample's distributors. */
  async function openWithWallet(address: string, { refuses = [], ...options }: MyPageOptions = {}) {
    const actor = distributors.find((one) => one.address.toLowerCase() === address);
    if (actor === undefined) throw new Error(`${address} is no distributor of the sample`);
    const { rpcUrl } = site.sample;
    let requested: string[] = [];
    const opened = await site.open('/me', {
      ...options,
      prepare: async (page) => {
        requested = await giveWallet(page, { privateKey: actor.privateKey, rpcUrl, refuses });
      },
    });
    // Who is not signed in yet is asked after all the same.
    opened.expectError(/401/);
    return { ...opened, asked: requested };
  }

  it('asks for a wallet if the browser has none', async () => {
    const { page, expectError } = await site.open('/me', { width: 320 });
    expectError(/401/);
    await page.getByText('This browser has no wallet.').waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
  });

  it('shows earnings, links and purchases after signing in, and none after signing out', async () => {
    const { address, linkCount } = await bestDistributor(site.sample.url);
    for (const [width, scheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      const { page, asked: requested } = await openWithWallet(address, { width, scheme });
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('table', { name: 'Rewards in TUSD' }).waitFor();
      expect(requested).toEqual(['eth_requestAccounts', 'personal_sign']);
      const links = page.getByRole('table', { name: 'Your links' });
      await links.waitFor();
      expect(await links.getByRole('rowheader').count()).toBe(linkCount);
      await page.getByRole('heading', { name: 'Purchases' }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `me-${width}-${scheme}`);
      // The session is the browser's: it lasts over a reload.
      await page.reload();
      await page.getByRole('table', { name: 'Rewards in TUSD' }).waitFor();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByRole('heading', { name: 'Sign in with your wallet' }).waitFor();
      expect(await page.getByRole('table').count()).toBe(0);
      await page.reload();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
    }
  });

  it('shows that the request was rejected in the wallet, and does not sign in', async () => {
    const { address } = await bestDistributor(site.sample.url);
    const { page } = await openWithWallet(address, { refuses: ['personal_sign'] });
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('You rejected the request in your wallet.').waitFor();
    await seeAccessible(page);
  });

  it('claims with the wallet, and shows the result once it is settled', async () => {
    const { rpcUrl, url } = site.sample;
    const api = createClient({ baseUrl: url });
    const address = await claimer(url);
    const chain = createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) });
    const settled = async () => (await api.system.status()).data.settled?.number;
    const settledBefore = await settled();
    const snapshot = await chain.snapshot();
    try {
      const { page, asked: requested } = await openWithWallet(address);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const claim = page.getByRole('button', { name: 'Claim', exact: true });
      await claim.first().waitFor();
      const claimable = page.getByText(/ claimable/);
      const item = page.getByRole('listitem').filter({ has: claim }).first();
      const before = await item.getByText(/ claimable/).textContent();
      await claim.first().click();
      // Its block is settled: the page reads the remaining claimable amount automatically.
      await expect.poll(() => claimable.allTextContents(), PATIENCE).not.toContain(before);
      expect(requested).toContain('eth_sendTransaction');
      expect(await settled()).not.toBe(settledBefore);
    } finally {
      await chain.revert({ id: snapshot });
      await waitFor(async () => (await settled()) === settledBefore, {
        what: 'the ledger as it was',
      });
    }
  });
});

type MyPageOptions = PageOptions & { readonly refuses?: readonly string[] };

/** Account of the first-ranked distributor. */
async function bestDistributor(baseUrl: string) {
  const api = createClient({ baseUrl });
  const [first] = (await api.distributors.list({ limit: 1 })).data.items;
  if (first === undefined) throw new Error('the sample has no distributor');
  return first;
}

/** Somebody with something to claim: whose newest vested level is not claimed. */
async function claimer(baseUrl: string): Promise<string> {
  const api = createClient({ baseUrl });
  for await (const { chainId, saleId } of api.pages(api.receipts.recent, { limit: 100 })) {
    const { data } = await api.receipts.get({ chainId, saleId });
    const level = data.levels.find(({ state }) => state === 'claimable');
    if (level) return level.recipient;
  }
  throw new Error('no account of the sample has anything to claim');
}
