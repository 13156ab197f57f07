import type { Page } from 'playwright-core';
import { it } from 'vitest';
import { WALLETCONNECT_META } from '../../engine/contract/pages.ts';
import { screenshot, seeAccessible, seeNoOverflow } from './support/browser.ts';
import { describeInBrowser } from './support/suite.ts';

const PROJECT = '0123456789abcdef0123456789abcdef';

describeInBrowser('Signing in with a wallet on a phone', (site) => {
  it('shows the code to pair it, and gives up when the reader closes it', async () => {
    const { page, expectError } = await site.open('/me', { width: 320, prepare: withProject });
    expectError(/401/);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('img', { name: 'Code that pairs your wallet with this page' }).waitFor();
    const address = await page
      .getByRole('link', { name: 'Open a wallet on this device' })
      .getAttribute('href');
    if (address?.startsWith('wc:') !== true) throw new Error(`no pairing address: ${address}`);
    await seeAccessible(page);
    await seeNoOverflow(page);
    await screenshot(page, 'walletconnect-320');
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No wallet was paired').waitFor();
  });
});

/** Serves the page as a service with a project would, and a relay that accepts everything. */
async function withProject(page: Page): Promise<void> {
  await page.route('**/me', async (route) => {
    const response = await route.fetch();
    const html = await response.text();
    const headers = { ...response.headers() };
    const policy = headers['content-security-policy'] ?? '';
    headers['content-security-policy'] = policy
      .replace('connect-src', 'connect-src wss://relay.walletconnect.org')
      .replace("frame-src 'none'", 'frame-src https://verify.walletconnect.org');
    const meta = `<meta name="${WALLETCONNECT_META}" content="${PROJECT}" /></head>`;
    await route.fulfill({ response, headers, body: html.replace('</head>', meta) });
  });
  await page.route(/walletconnect[.](?:org|com)/, (route) => route.fulfill({ json: {} }));
  await page.routeWebSocket(/relay[.]walletconnect[.]org/, (socket) => {
    socket.onMessage((message) => {
      const { id, method } = JSON.parse(String(message));
      const result = method === 'irn_subscribe' ? 'ab'.repeat(32) : true;
      socket.send(JSON.stringify({ id, jsonrpc: '2.0', result }));
    });
  });
}
