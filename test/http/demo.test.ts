import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEMO_META, demoPaths } from '../../engine/contract/demo.ts';
import type { Demo } from '../../engine/http/demo/demo.ts';
import { HttpError } from '../../engine/http/errors.ts';
import { ApiFixture } from './support/api-fixture.ts';

const KEY = `0x${'7e'.repeat(32)}` as const;
const ADDRESS = `0x${'ab'.repeat(20)}` as const;
const OWN = 'https://shop.example';

let fixture: ApiFixture;
let folder: string;
let asked: unknown[];
let given: unknown[];

const demo: Demo = {
  chainId: 31_337,
  accounts: [{ role: 'buyer', name: 'Ida "<b>"', address: ADDRESS, privateKey: KEY }],
  ask: async (...call) => {
    asked.push(call);
    return { result: '0x7a69' };
  },
  give: async (...gift) => {
    given.push(gift);
    const [account] = gift;
    return account === ADDRESS
      ? { token: { symbol: 'TUSD', decimals: 6 }, amount: '5', gas: '0' }
      : undefined;
  },
};

beforeAll(async () => {
  fixture = await ApiFixture.open();
  folder = await mkdtemp(join(tmpdir(), 'tributary-demo-'));
  const page = '<!doctype html><head><title>the site</title></head>';
  await writeFile(join(folder, 'index.html'), page);
});
beforeEach(() => {
  [asked, given] = [[], []];
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await fixture.close();
});

function post(path: string, body: unknown, headers: Record<string, string> = {}) {
  const init = { 'content-type': 'application/json', ...headers };
  return [path, { method: 'POST', headers: init, body: JSON.stringify(body) }] as const;
}

const call = (method: string, params: readonly unknown[] = []) =>
  post(demoPaths.rpc, { jsonrpc: '2.0', id: 7, method, params });

describe('a service that has no demo, as on every real chain', () => {
  it.each([
    ['without one', {}],
    ['whose chain was refused', { demo: () => undefined }],
  ] as const)('serves no key, no faucet and no way to the chain, %s', async (_what, deps) => {
    const app = fixture.app({ ...deps, siteFolder: folder });
    for (const response of [
      await app.request(demoPaths.accounts),
      await app.request(...call('eth_chainId')),
      await app.request(...post(demoPaths.faucet, { address: ADDRESS })),
    ]) {
      expect(response.status).toBe(404);
    }
    expect(await (await app.request('/')).text()).not.toContain(DEMO_META);
  });
});

describe('a service with a demo', () => {
  const app = () => fixture.app({ demo: () => demo, siteFolder: folder });

  it('names its people in pages, without their keys, and gives the keys to its own pages alone', async () => {
    const html = await (await app().request('/console')).text();
    expect(html).toContain(`<meta name="${DEMO_META}"`);
    expect(html).toContain(ADDRESS);
    expect(html).not.toContain(KEY);
    expect(html).not.toContain('<b>');
    const own = await app().request(demoPaths.accounts, { headers: { origin: OWN } });
    expect(await own.json()).toEqual({ data: demo.accounts });
    expect(own.headers.get('cache-control')).toBe('no-store');
    const origin = 'https://evil.example';
    const other = await app().request(demoPaths.accounts, { headers: { origin } });
    expect(other.status).toBe(403);
    expect(await other.text()).not.toContain(KEY);
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('passes reads and signed transactions on to the chain, and no method that signs or changes it', async () => {
    const response = await app().request(...call('eth_chainId'));
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 7, result: '0x7a69' });
    expect(asked).toEqual([['eth_chainId', []]]);
    for (const method of [
      ...['anvil_setBalance', 'anvil_impersonateAccount', 'evm_revert', 'hardhat_reset'],
      ...['eth_sendTransaction', 'eth_sign', 'personal_sign', 'debug_traceCall', 'ETH_CHAINID'],
    ]) {
      const refused = await app().request(...call(method));
      expect(await refused.json()).toMatchObject({ id: 7, error: { code: -32_601 } });
    }
    expect(asked).toHaveLength(1);
  });

  it('refuses bodies that are no call, too long, of another type, or from another site', async () => {
    const send = async (...request: ReturnType<typeof post>) =>
      (await app().request(...request)).status;
    const body = { id: 1, method: 'eth_call', params: [1, 2, 3, 4, 5] };
    expect(await send(...post(demoPaths.rpc, body))).toBe(400);
    expect(await send(...post(demoPaths.rpc, [body]))).toBe(400);
    expect(await send(...call('eth_call', ['x'.repeat(70_000)]))).toBe(413);
    const plain = { 'content-type': 'text/plain' };
    const chainId = { id: 1, method: 'eth_chainId' };
    expect(await send(...post(demoPaths.rpc, chainId, plain))).toBe(415);
    const evil = { origin: 'https://evil.example' };
    expect(await send(...post(demoPaths.rpc, chainId, evil))).toBe(403);
    expect(await send(...post(demoPaths.faucet, { address: ADDRESS }, evil))).toBe(403);
    expect([asked, given]).toEqual([[], []]);
  });

  it('sends test money to an address, says if there is plenty, and counts each request as a write', async () => {
    const counted: string[] = [];
    const limits = {
      take: async (kind: string) => {
        counted.push(kind);
        if (counted.filter((one) => one === 'write').length > 3) {
          throw new HttpError('RATE_LIMITED', 'Too many requests.');
        }
        return undefined;
      },
    };
    const app = fixture.app({ demo: () => demo, limits });
    const money = await app.request(
      ...post(demoPaths.faucet, { address: ADDRESS.toUpperCase().replace('X', 'x') }),
    );
    expect(await money.json()).toMatchObject({ data: { amount: '5' } });
    expect(given).toEqual([[ADDRESS, false]]);
    const address = `0x${'cd'.repeat(20)}`;
    const plenty = await app.request(...post(demoPaths.faucet, { address }));
    expect([plenty.status, await plenty.text()]).toEqual([422, expect.stringContaining('plenty')]);
    const wrong = await app.request(...post(demoPaths.faucet, { address: '0x12' }));
    expect(await wrong.json()).toMatchObject({ error: { issues: [{ path: 'address' }] } });
    const often = await app.request(...post(demoPaths.faucet, { address: ADDRESS }));
    expect(often.status).toBe(429);
    expect(counted).toContain('address');
    expect(given).toHaveLength(2);
  });
});
