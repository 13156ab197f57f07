import { createServer, type RequestListener } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, expect, it } from 'vitest';
import { freePort } from '../../engine/cli/stack/free-port.ts';
import { createClient } from '../../engine/client/index.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { saleLike } from './support/receipts.ts';
import { describeInBrowser } from './support/suite.ts';

/** Lies of a service, and the check that fails for each. */
const lies: [what: string, check: string, lie: (receipt: ReceiptFields) => void][] = [
  ['a share', 'split', ({ split }) => addOne(split.shares[0], 'amount')],
  ['the pool', 'split', ({ split }) => addOne(split, 'pool')],
  ['an attached code', 'attribution', ({ attribution }) => attribution.codes?.push(MADE_UP)],
  ['a field of the policy', 'policy', ({ policy }) => addOne(policy, 'holdSeconds')],
  ['the path', 'path', ({ path, buyer }) => Object.assign(path[1] ?? {}, { owner: buyer })],
  ['the history', 'transitions', ({ transitions }) => void transitions.pop()],
];

const MADE_UP = { code: 'shop', role: null, registry: null };

interface ReceiptFields {
  readonly buyer: string;
  readonly attribution: { readonly codes: object[] | null };
  readonly split: { pool: string; shares: Record<string, unknown>[] };
  readonly policy: Record<string, unknown>;
  readonly path: object[];
  readonly transitions: unknown[];
}

const servers: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  await Promise.all(servers.map((stop) => stop()));
});

/** The verdict if only the service named the contract. */
const NAMED = 'This receipt matches the contract that this service named';

describeInBrowser('Verifying in the browser', (site) => {
  it('passes a correct receipt, by the RPC alone, and shows the evidence', async () => {
    const { rpcUrl, url } = site.sample;
    const { page } = await site.open(`/receipts/31337/578#rpc=${rpcUrl}`);
    await page.getByText('live', { exact: true }).waitFor();
    await page.getByText('Not compared with the chain yet').waitFor();
    const requested: string[] = [];
    // A picture loads when it is scrolled into sight, at any time, and no verdict depends on it.
    page.on('request', (request) => {
      if (request.resourceType() !== 'image') requested.push(request.url());
    });
    await verify(page);
    // Only the service has said so far that this is the right contract.
    await page.getByRole('heading', { name: NAMED }).waitFor();
    expect(await page.getByText('This receipt matches the chain').count()).toBe(0);
    expect(await storedNames(page)).not.toContain('tributary.contract.31337');
    await screenshot(page, 'verified-by-service');
    await page.getByRole('button', { name: 'It is the contract that I expect' }).click();
    await page.getByRole('heading', { name: 'This receipt matches the chain' }).waitFor();
    // The receipt itself says it, too.
    expect(await page.getByText('This receipt matches the chain').count()).toBe(2);
    expect(await storedNames(page)).toContain('tributary.contract.31337');
    expect(await statuses(page)).toEqual(Array.from({ length: 11 }, () => 'passed'));
    const ours = requested.filter(
      (one) => one.startsWith(url) && !one.startsWith(`${url}/assets/`),
    );
    // Pages read the status by the clock, and names as addresses appear: nothing else of ours is asked.
    expect(ours.filter((one) => !/\/v1\/(system\/status|lookups\/names)$/.test(one))).toEqual([]);
    expect(requested.filter((one) => one.startsWith(rpcUrl)).length).toBeGreaterThan(1);
    await page.getByText('Evidence of split').click();
    const split = page.locator('[data-check="split"]');
    await split.getByText('recomputed', { exact: true }).waitFor();
    // In the token's unit, as the rest of the page; the exact values are behind it.
    expect(await split.locator('dd').first().textContent()).toMatch(/\sTUSD$/);
    expect(await split.locator('p').textContent()).not.toContain('base units');
    await split.getByText('Raw JSON').click();
    await split.getByText('"recomputed"').waitFor();
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'verified');
    await page.reload();
    expect(await page.getByLabel('RPC of chain 31337').inputValue()).toBe(rpcUrl);
  });

  it.each(lies)('shows a lie about %s at the check of the %s', async (_what, check, lie) => {
    const sale = await saleLike(site.sample, { whole: ({ path }) => path.length > 1 });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}#rpc=${site.sample.rpcUrl}`, {
      width: 375,
      prepare: async (fresh) => {
        await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
          const reply = await (await route.fetch()).json();
          lie(reply.data);
          await route.fulfill({ json: reply });
        });
      },
    });
    await verify(page);
    await page.getByRole('heading', { name: 'This receipt does not match the chain' }).waitFor();
    const failed = page.locator('[data-check]').filter({ hasText: 'failed' });
    expect(await failed.evaluateAll(namesOfChecks)).toEqual([check]);
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, `lie-${check}`);
  });

  it('writes amounts with the token of the chain, whatever the service calls it', async () => {
    const { page } = await site.open(`/receipts/31337/578#rpc=${site.sample.rpcUrl}`, {
      prepare: async (fresh) => {
        await fresh.route('**/v1/receipts/31337/578', async (route) => {
          const reply = await (await route.fetch()).json();
          Object.assign(reply.data.token, { symbol: 'USDC', decimals: 0 });
          await route.fulfill({ json: reply });
        });
      },
    });
    await verify(page);
    await page.getByRole('heading', { name: 'This receipt does not match the chain' }).waitFor();
    const messages = await page.locator('[data-check] p').allTextContents();
    expect(messages.filter((message) => message.includes('USDC'))).toEqual([
      'The receipt has token.symbol USDC, the chain has TUSD. The receipt has token.decimals 0, the chain has 6.',
    ]);
    expect(messages.some((message) => /\sTUSD were the reward/.test(message))).toBe(true);
  });

  it('calls a receipt old if the sale has later events, and shows what no check compares', async () => {
    const sale = await saleLike(site.sample, { whole: ({ state }) => state === 'refunded' });
    const { page } = await site.open(`/receipts/31337/${sale.saleId}#rpc=${site.sample.rpcUrl}`, {
      width: 390,
      prepare: async (fresh) => {
        await fresh.route(`**/v1/receipts/31337/${sale.saleId}`, async (route) => {
          const before = BigInt(sale.transitions.at(-1)?.blockNumber ?? 0) - 1n;
          const response = await route.fetch({ url: `${route.request().url()}?atBlock=${before}` });
          await route.fulfill({ response });
        });
      },
    });
    await verify(page);
    await page.getByRole('heading', { name: 'This receipt is old' }).waitFor();
    const age = await page.locator('[data-check="age"] p').first().textContent();
    expect(age).toMatch(/^This receipt is old: it is as of block .*SaleRefunded in block/);
    await page.getByText('What is compared with the chain, and what is not').click();
    const row = page.getByRole('row').filter({ hasText: 'merchant.name' });
    expect(await row.textContent()).toContain('What the merchant calls itself.');
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'verified-old');
  });

  it('explains why an RPC cannot be used', async () => {
    const { page, expectError } = await site.open('/receipts/31337/578#verify');
    expectError(/ERR_CONNECTION_REFUSED|ERR_FAILED|CORS/);
    const answer = (body: string, headers: Record<string, string>): RequestListener => {
      return (_request, response) => response.writeHead(200, headers).end(body);
    };
    const open = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    const cases = [
      ['rpc.example', 'Give the address of an RPC'],
      [`http://127.0.0.1:${await freePort()}`, 'The RPC cannot be reached'],
      [await serve(answer('{}', {})), 'The RPC lets no web page ask it'],
      [await serve(answer('<html>', open)), 'This is no RPC'],
      [await serve(answer('{"result":"0x1"}', open)), 'The RPC is of another chain'],
    ] as const;
    for (const [rpcUrl, message] of cases) {
      await page.getByLabel('RPC of chain 31337').fill(rpcUrl);
      await verify(page);
      await page.getByText(message).waitFor();
      await seeAccessible(page);
    }
    expect(await page.getByText('does not match').count()).toBe(0);
    expect(await storedNames(page)).toEqual([]);
  });

  it('verifies against the contract that the reader enters, not the one of the service', async () => {
    const { page } = await site.open(`/receipts/31337/578#rpc=${site.sample.rpcUrl}`);
    await options(page).click();
    const wrong = await tokenOf(site.sample.url);
    await page.getByLabel('Contract', { exact: true }).fill(wrong);
    const yours = page.getByRole('region', { name: 'These are your values, not the service’s' });
    await yours.getByText('another contract than the service names').waitFor();
    await verify(page);
    const verdict = page.getByRole('region', { name: 'This receipt could not be checked' });
    await verdict.getByText(`not of contract ${wrong}`).waitFor();
    expect(await page.locator('[data-check]').count()).toBe(0);
    expect(await page.getByText('does not match').count()).toBe(0);
    expect(await storedNames(page)).toEqual([]);
    await seeAccessible(page);
    await screenshot(page, 'verify-other-contract');
    await page.getByRole('button', { name: 'Use the service’s values' }).click();
    await verify(page);
    await page.getByRole('heading', { name: NAMED }).waitFor();
    expect(await yours.count()).toBe(0);
    expect(await storedNames(page)).toContain('tributary.rpc.31337');
  });

  it('shows a contract that was stored before, and goes back to the service’s values', async () => {
    const { page } = await site.open('/receipts/31337/578#verify', {
      width: 320,
      prepare: async (fresh) => {
        await fresh.addInitScript(`if (!sessionStorage.getItem('seen')) {
          sessionStorage.setItem('seen', 'yes');
          localStorage.setItem('tributary.contract.31337', '0x${'12'.repeat(20)}');
          localStorage.setItem('tributary.from.31337', '7');
        }`);
      },
    });
    await page.getByText('The search begins at block 7.').waitFor();
    await seeNoOverflow(page);
    await page.getByRole('button', { name: 'Use the service’s values' }).click();
    expect(await storedNames(page)).toEqual([]);
    expect(await page.getByText('These are your values').count()).toBe(0);
  });

  it('verifies by the RPC of the browser’s wallet', async () => {
    const { page } = await site.open('/receipts/31337/578#verify', {
      prepare: async (fresh) => {
        await fresh.addInitScript(`window.ethereum = {
          async request({ method, params = [] }) {
            const response = await fetch('${site.sample.rpcUrl}', {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
            });
            const { result, error } = await response.json();
            if (error) throw Object.assign(new Error(error.message), error);
            return result;
          },
        };`);
      },
    });
    await page.getByRole('button', { name: 'Use the RPC of Browser wallet' }).click();
    await verify(page);
    await page.getByRole('heading', { name: NAMED }).waitFor();
    await page.getByText('Checked with the RPC of Browser wallet').waitFor();
    await seeAccessible(page);
  });

  it('works by keyboard alone, from the search on', async () => {
    const { page } = await site.open('/');
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the page');
    await page.keyboard.press('/');
    await page.keyboard.type('#578');
    await page.keyboard.press('Enter');
    await page.getByText('The service says the same.').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await tabTo(page, 'Verify it yourself');
    await page.keyboard.press('Enter');
    await tabTo(page, 'RPC of chain');
    await page.keyboard.type(site.sample.rpcUrl);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: NAMED }).waitFor();
    // The verdict comes before the form.
    for (let i = 0; i < 30 && !(await focused(page)).startsWith('Evidence'); i += 1) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Enter');
    await page.locator('[data-check] details[open] dl').first().waitFor();
  });
});

/** Moves the focus forward to what has this text. */
async function tabTo(page: Page, text: string): Promise<void> {
  for (let i = 0; i < 80; i += 1) {
    if ((await focused(page)).includes(text)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the keyboard does not reach ${text}`);
}

/** The button that opens the form for another RPC or contract. */
function options(page: Page) {
  return page.getByText('Check with another RPC or contract');
}

/** Names of the values that the page has stored about RPCs and contracts. */
async function storedNames(page: Page): Promise<string[]> {
  const names = await page.evaluate<string[]>('Object.keys(localStorage)');
  return names.filter((name) => /rpc|contract|from/.test(name));
}

/** The token of the sale: a contract, but not the one that has the sale. */
async function tokenOf(baseUrl: string): Promise<string> {
  const { data } = await createClient({ baseUrl }).receipts.get({ chainId: 31_337, saleId: '578' });
  return data.token.address.toLowerCase();
}

async function verify(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Verify in this browser' }).click();
}

async function statuses(page: Page): Promise<string[]> {
  return await page.locator('[data-check] h3 span').allTextContents();
}

function namesOfChecks(nodes: readonly { getAttribute(name: string): string | null }[]) {
  return nodes.map((node) => node.getAttribute('data-check'));
}

/** The name of the field, link or button that has the focus. */
async function focused(page: Page): Promise<string> {
  return await page.evaluate<string>(
    `((at) => at.labels?.[0]?.textContent ??
      (at.matches('a, button, summary') ? at.textContent : ''))(document.activeElement)`,
  );
}

function addOne(of: Record<string, unknown> | undefined, field: string): void {
  if (of === undefined) throw new Error('the receipt has no such part');
  const value = of[field];
  of[field] = typeof value === 'number' ? value + 1 : (BigInt(String(value)) + 1n).toString();
}

/** Serves one answer to everything; its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  servers.push(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return `http://127.0.0.1:${address.port}`;
}
