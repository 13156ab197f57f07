import { expect, it } from 'vitest';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { freezeRpc } from './support/frozen-rpc.ts';
import { describeInBrowser } from './support/suite.ts';

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 20_000 };

describeInBrowser('The status page', (site) => {
  it('shows the heads, sums every campaign and recomputes the digest root', async () => {
    for (const [width, scheme] of [
      [1280, 'light'],
      [320, 'dark'],
    ] as const) {
      const { page } = await site.open('/status', { width, scheme });
      const heads = page.getByRole('table', { name: 'Blocks that each part has reached' });
      await heads.waitFor();
      expect(await heads.getByRole('rowheader').count()).toBe(5);
      const rpcs = page.getByRole('table', { name: 'RPCs of the service' });
      for (const part of ['indexer', 'worker']) {
        await rpcs
          .getByRole('row')
          .filter({ hasText: `${part}, 1` })
          .getByText('ok')
          .waitFor();
      }
      await expect.poll(() => page.getByText('5 sums hold').count(), PATIENCE).toBe(9);
      await page.getByText('same root in your browser').waitFor();
      await page.getByRole('heading', { name: 'Last audit' }).waitFor();
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `status-${width}-${scheme}`);
    }
  });

  it('names a campaign whose ledger does not add up, and a digest that is not under the root', async () => {
    const { page } = await site.open('/status', {
      prepare: async (fresh) => {
        await fresh.route('**/v1/campaigns/3?atBlock=*', async (route) => {
          const reply = await (await route.fetch()).json();
          reply.data.proceedsLedger.buyerRefunded += '0';
          await route.fulfill({ json: reply });
        });
        await fresh.route('**/v1/system/digest?*', async (route) => {
          const reply = await (await route.fetch()).json();
          reply.data.items[0].digest = `0x${'11'.repeat(32)}`;
          await route.fulfill({ json: reply });
        });
      },
    });
    const row = page.getByRole('row').filter({ hasText: 'Campaign 3' });
    await row.getByText('This does not add up.').waitFor();
    expect(await row.textContent()).toContain('more than "Paid by buyers"');
    await expect.poll(() => page.getByText('5 sums hold').count(), PATIENCE).toBe(8);
    await page.getByText('These digests have another root').waitFor();
    await seeAccessible(page);
  });

  it('shows an RPC that accepts connections and does not answer, here and on every page', async () => {
    const { page: status } = await site.open('/status');
    await status.getByText('All parts run.').waitFor();
    const { page: receipt } = await site.open('/receipts/31337/578');
    await receipt.getByText('live', { exact: true }).waitFor();
    const thaw = await freezeRpc(site.sample.rpcUrl);
    try {
      const silent = 'The blockchain node does not respond.';
      const shown = { timeout: FROZEN_SHOWN_MS };
      await Promise.all([
        status.getByRole('alert', { name: 'Alarms' }).getByText(silent).waitFor(shown),
        receipt.getByText('not live: chain silent').waitFor(shown),
        receipt.getByText('All numbers are as of block').waitFor(shown),
      ]);
      await seeAccessible(status);
      await screenshot(status, 'status-frozen');
      await screenshot(receipt, 'receipt-frozen');
    } finally {
      thaw();
    }
    await status.getByText('All parts run.').waitFor();
    await receipt.getByText('live', { exact: true }).waitFor();
  }, 90_000);

  it('shows alarms, stopped campaigns and the result of the last audit', async () => {
    const { page } = await site.open('/status', {
      prepare: async (fresh) => {
        await fresh.route('**/v1/system/status', async (route) => {
          const reply = await (await route.fetch()).json();
          const stopped = [
            { campaignId: '2', since: '2026-01-01T00:00:00.000Z', reason: 'A gap.' },
          ];
          const alarms = ['The indexer has stopped.'];
          Object.assign(reply.data, { status: 'attention', alarms, stopped });
          await route.fulfill({ json: reply });
        });
        await fresh.route('**/v1/system/audit', async (route) => {
          const reply = await (await route.fetch()).json();
          reply.data.last = audit;
          await route.fulfill({ json: reply });
        });
      },
    });
    await page.getByRole('alert', { name: 'Alarms' }).getByText('A gap.').waitFor();
    // The settled block is 122 in the sample, and the audit is of block 120.
    await page.getByText('It does not cover the 2 blocks since then.').waitFor();
    const violations = page.getByRole('table', { name: 'Violations' });
    expect(await violations.textContent()).toContain('sum of claimable = vestedUnclaimed');
    await page.getByText('The first 1 are shown.').waitFor();
    await seeAccessible(page);
  });
});

const at = '2026-01-01T00:00:00.000Z';

/** Milliseconds within which a frozen RPC is shown: 10 s on a free machine, and what a busy one adds. */
const FROZEN_SHOWN_MS = 20_000;

/** An audit that found something. */
const audit = {
  ok: false,
  block: { number: '120', hash: `0x${'22'.repeat(32)}`, timestamp: at },
  finishedAt: at,
  durationMs: 512,
  campaigns: 8,
  discrepancies: 0,
  violations: {
    count: 2,
    items: [
      {
        campaignId: '1',
        invariant: 'sum of claimable = vestedUnclaimed',
        subject: null,
        expected: '5',
        actual: '6',
      },
    ],
  },
};
