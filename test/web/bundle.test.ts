import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createPublicClient, http } from 'viem';
import { beforeAll, expect, it } from 'vitest';
import { bundleRowGroups } from '../../engine/verify/bundle/coverage.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';

const SALE = '570';

describeInBrowser('The bundle page', (site) => {
  let file: Buffer;
  let hashes: string[];

  beforeAll(async () => {
    const { page, close } = await site.open(`/receipts/31337/${SALE}#verify`);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the bundle' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(`sale-31337-${SALE}.bundle.json`);
    file = await readFile(await download.path());
    await close();
    hashes = await blockHashes(site.sample.rpcUrl, file);
  });

  it('lists what a bundle proves without a network, for the hashes that the reader entered', async () => {
    const { page } = await site.open('/bundle', { width: 320, scheme: 'dark' });
    await page.getByRole('heading', { level: 1, name: 'Check a bundle' }).waitFor();
    await page.context().setOffline(true);
    await choose(page, file);
    await page
      .getByRole('heading', { name: 'This bundle could not be checked completely' })
      .waitFor();
    await page.getByText('not confirmed yet').first().waitFor();
    await vouch(page, hashes, site.sample.contractAddress);
    await page.getByRole('heading', { name: 'This bundle matches the chain' }).waitFor();
    await page.getByRole('heading', { name: 'What is proven' }).waitFor();
    await page.getByText('SKU hash', { exact: true }).waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'bundle-good');
    await vouch(page, hashes, `0x${'12'.repeat(20)}`);
    await page.getByRole('heading', { name: 'This bundle is about another contract' }).waitFor();
    expect(await page.getByText('does not match').count()).toBe(0);
  });

  it.each([320, 1280])(
    'says of each field of a receipt what a bundle proves, on %i pixels',
    async (width) => {
      const { page } = await site.open('/bundle', { width });
      const summary = page.getByText('What a bundle proves, and what it cannot');
      await summary.click();
      const rows = page.getByRole('table').getByRole('row');
      const row = (field: string) => rows.filter({ has: page.getByText(field, { exact: true }) });
      expect(await row('receipt.claims').textContent()).toContain(
        'Yes, by the check “transitions”',
      );
      expect(await row('chainId').textContent()).toContain('no header names its chain');
      // The names of the columns, too.
      expect(await rows.count()).toBe(bundleRowGroups().length + 1);
      await seeAccessible(page);
      await seeNoOverflow(page);
      await screenshot(page, `bundle-coverage-${width}`);
    },
  );

  it('fails a bundle in which one byte of an amount changed', async () => {
    const { page } = await site.open('/bundle');
    await vouch(page, hashes, site.sample.contractAddress);
    const text = file.toString('utf8');
    const at = text.indexOf('"pool":"') + '"pool":"'.length;
    const other = text[at] === '9' ? '8' : '9';
    await choose(page, Buffer.from(text.slice(0, at) + other + text.slice(at + 1)));
    await page.getByRole('heading', { name: 'This file is not a valid bundle' }).waitFor();
    await page.locator('[data-check="format"]').getByText('failed').waitFor();
    await screenshot(page, 'bundle-flipped');
  });

  it('rejects the hash of another block, and names invalid hashes', async () => {
    const { page } = await site.open('/bundle');
    await choose(page, file);
    await vouch(page, [`0x${'12'.repeat(32)}`], site.sample.contractAddress);
    await page
      .locator('[data-check="blocks"]')
      .getByText(/failed|not checked/)
      .waitFor();
    expect(await page.getByRole('heading', { name: 'This bundle matches the chain' }).count()).toBe(
      0,
    );
    await vouch(page, ['0x12'], site.sample.contractAddress);
    await page.getByText('“0x12” is no block hash').waitFor();
    await seeAccessible(page);
  });

  it('reads hashes from an RPC of the reader’s choice, and names that RPC', async () => {
    const { page } = await site.open('/bundle');
    await choose(page, file);
    await vouch(page, [], site.sample.contractAddress);
    await page.getByText('Read the hashes from an RPC').click();
    await page.getByLabel('RPC of chain 31337').fill(site.sample.rpcUrl);
    await page.getByRole('button', { name: 'Ask for the hashes' }).click();
    await page.getByText(/Trust them as much as you trust it/).waitFor();
    await page.getByRole('heading', { name: 'This bundle matches the chain' }).waitFor();
    await seeAccessible(page);
  });
});

async function choose(page: Page, buffer: Buffer): Promise<void> {
  const file = { name: 'a.bundle.json', mimeType: 'application/json', buffer };
  await page.getByLabel('Drop a bundle here, or choose it').setInputFiles(file);
}

async function vouch(page: Page, hashes: readonly string[], contract: string): Promise<void> {
  await page.getByLabel('Block hashes, one on each line').fill(hashes.join('\n'));
  await page.getByLabel('Contract', { exact: true }).fill(contract);
}

/** The hashes of the blocks that a bundle has proofs of, as a node says them. */
async function blockHashes(rpcUrl: string, bundle: Buffer): Promise<string[]> {
  const client = createPublicClient({ transport: http(rpcUrl) });
  const { proofs } = JSON.parse(bundle.toString('utf8'));
  return await Promise.all(
    proofs.map(async ({ blockNumber }: { blockNumber: string }) => {
      return (await client.getBlock({ blockNumber: BigInt(blockNumber) })).hash;
    }),
  );
}
