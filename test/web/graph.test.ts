import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { encodeReferralCode } from '../../engine/core/referral-code.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { GraphPages } from './support/graph-pages.ts';
import { describeInBrowser } from './support/suite.ts';

const COUNT = 10_000;
/** Drivers without a graphics card say so when what is under the pointer is read. */

/** Longer than a busy machine takes. */
const PATIENCE = { timeout: 20_000 };

const litLines = async (page: Page): Promise<string[]> =>
  await page.locator('[role=treeitem][data-lit]').allTextContents();

describeInBrowser('The referral graph', (site) => {
  async function openGraph(path = '/campaigns/1?tab=graph', display: { width?: number } = {}) {
    const graph = new GraphPages(COUNT);
    const opened = await site.open(path, {
      ...display,
      prepare: async (page) => await graph.serve(page, '1'),
    });
    return { ...opened, graph };
  }

  it('loads the first levels, and all 10,000 nodes on request', async () => {
    const { page, graph } = await openGraph();
    await page.getByText(/^300 of 10.000 links loaded$/).waitFor();
    expect(graph.requests).toBe(3);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText(/^10.000 of 10.000 links loaded$/).waitFor({ timeout: 120_000 });
    await page.getByRole('img', { name: /^Picture of 10.000 links/ }).waitFor();
    expect(graph.requests).toBe(COUNT / 100);
    // Of 10,000 lines only those in sight are in the page, and each states its position.
    const roots = page.getByRole('treeitem');
    expect(await roots.count()).toBe(20);
    expect(await roots.first().getAttribute('aria-setsize')).toBe('20');
    expect(await page.locator('#graph canvas').count()).toBeGreaterThan(0);
    await screenshot(page, 'graph-10000');
  }, 180_000);

  it('finds a node that is not loaded by its code, and shows its ancestry', async () => {
    const { page, graph } = await openGraph();
    await page.getByText(/^300 of/).waitFor();
    await page.getByLabel('Find a link').fill(encodeReferralCode('9876') ?? '');
    await page.getByRole('button', { name: 'Find', exact: true }).click();
    const path = graph.pathOf('9876').map(({ nodeId }) => nodeId);
    expect(path.length).toBeGreaterThan(4);
    await page.getByRole('heading', { name: 'Link 9876' }).waitFor();
    const table = page.getByRole('table', { name: 'The path from the link up to its root' });
    expect(await table.getByRole('row').count()).toBe(path.length + 1);
    await page.getByRole('treeitem', { selected: true, name: /Link 9876,/ }).waitFor();
    const lit = (await litLines(page)).map((text) => /Link (\d+)/.exec(text)?.[1]);
    expect(lit).toEqual([...path].reverse());
    expect(page.url()).toContain('node=9876');
    await seeAccessible(page);
  });

  it('opens at the node that its address names', async () => {
    const { page, graph } = await openGraph('/campaigns/1?node=7777');
    await page.getByRole('heading', { name: 'Link 7777' }).waitFor();
    await page.getByRole('treeitem', { selected: true }).waitFor();
    expect(await litLines(page)).toHaveLength(graph.pathOf('7777').length);
  });

  it('lights up the ancestry of the line under the pointer, and of none when it leaves', async () => {
    const { page } = await openGraph();
    await page.getByText(/^300 of/).waitFor();
    await page.getByRole('treeitem', { name: /Link 5,/ }).click();
    await page.getByRole('treeitem', { name: /Link 26,/ }).hover();
    await expect.poll(() => litLines(page), PATIENCE).toHaveLength(2);
    await page.getByRole('treeitem', { name: /Link 7,/ }).hover();
    await expect.poll(() => litLines(page), PATIENCE).toEqual([expect.stringContaining('Link 7,')]);
  });

  it('works by keyboard alone, and loads what is opened', async () => {
    const { page, graph } = await openGraph();
    await page.getByText(/^300 of/).waitFor();
    await page.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await page
      .getByRole('treeitem', { name: /Link 20,/ })
      .and(page.locator(':focus'))
      .waitFor();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    const first = page.getByRole('treeitem', { name: /Link 100,/ });
    await first.and(page.locator(':focus')).waitFor();
    expect(await first.getAttribute('aria-level')).toBe('2');
    // Its children lie beyond what was loaded at first.
    const before = graph.requests;
    await page.keyboard.press('ArrowRight');
    await page.getByRole('treeitem', { name: /Link 500,/ }).waitFor();
    expect(graph.requests).toBe(before + 1);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Link 500' }).waitFor();
    // To the left first closes the node that was opened, and then goes to its parent.
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await first.and(page.locator(':focus')).waitFor();
  });

  it('shows the graph as text if the browser has no WebGL', async () => {
    const graph = new GraphPages(50);
    const { page } = await site.open('/campaigns/1?tab=graph', {
      width: 320,
      prepare: async (fresh) => {
        await graph.serve(fresh, '1');
        await fresh.addInitScript(`{
          const real = HTMLCanvasElement.prototype.getContext;
          HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
            return kind.startsWith('webgl') ? null : real.call(this, kind, ...rest);
          };
        }`);
      },
    });
    await page.getByText('This browser has no WebGL').waitFor();
    expect(await page.getByRole('treeitem').count()).toBe(20);
    await seeNoOverflow(page);
  });

  it('waits after a 429 and then continues', async () => {
    const graph = new GraphPages(500);
    let refused = 0;
    const { page, expectError } = await site.open('/campaigns/1?tab=graph', {
      prepare: async (fresh) => {
        await graph.serve(fresh, '1');
        await fresh.route('**/v1/campaigns/1/graph?*cursor=300*', async (route) => {
          if (refused > 0) return await route.fallback();
          refused += 1;
          const error = { code: 'RATE_LIMITED', message: 'Too many requests.', requestId: 'made' };
          return await route.fulfill({
            status: 429,
            headers: { 'retry-after': '1' },
            json: { error },
          });
        });
      },
    });
    expectError(/429/);
    await page.getByRole('button', { name: 'Load all' }).click();
    await page.getByText('500 of 500 links loaded').waitFor();
    expect(refused).toBe(1);
  });
});
