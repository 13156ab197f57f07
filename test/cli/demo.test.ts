import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDemo } from '../../engine/cli/demo/open-demo.ts';
import { type Anvil, startAnvil } from '../../engine/cli/stack/anvil.ts';
import { allVariables } from '../../engine/variables.ts';
import { actorsOf } from '../../sample/actors.ts';
import { SAMPLE_SEED } from '../../sample/run-sample.ts';

const { contractAddress } = actorsOf(SAMPLE_SEED);
const ANVIL_ACCOUNT = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266';

describe('the demo, whose keys everybody knows', () => {
  let dir: string;
  let anvil: Anvil;
  let other: Anvil;
  const servers: Server[] = [];

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'tributary-demo-'));
    const logFile = join(dir, 'anvil.log');
    [anvil, other] = await Promise.all([
      startAnvil({ logFile }),
      startAnvil({ logFile, chainId: 1 }),
    ]);
  });
  afterAll(async () => {
    for (const server of servers) server.close();
    await Promise.all([anvil.kill(), other.kill()]);
    await rm(dir, { recursive: true, force: true });
  });

  /** A node with fixed answers. */
  async function nodeThat(answers: Readonly<Record<string, unknown>>): Promise<string> {
    const server = createServer(async (request, response) => {
      const { method } = (await json(request)) as { method: string };
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answers[method] ?? null }));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  const chain = (url: string, changes = {}) => ({
    ...{ chainId: 31_337, rpcUrls: [url], contractAddress, startBlock: 1 },
    ...changes,
  });
  const honest = {
    eth_chainId: '0x7a69',
    web3_clientVersion: 'anvil/v1.7.1',
    eth_accounts: [ANVIL_ACCOUNT],
  };

  it('opens on the anvil of this machine with the sample, with a key for each role', async () => {
    const demo = await openDemo(chain(anvil.url), anvil.url);
    expect(demo.accounts.map(({ role }) => role)).toEqual(['merchant', 'partner', 'buyer']);
    expect(await demo.ask('eth_chainId', [])).toEqual({ result: '0x7a69' });
    // What the node refuses is passed on as it is.
    expect(await demo.ask('eth_call', [{ to: 'nowhere' }, 'latest'])).toMatchObject({
      error: { code: expect.any(Number), message: expect.any(String) },
    });
  });

  it('stays closed on every other chain, whatever `start` is made to say', async () => {
    const fake = (changes: object) => nodeThat({ ...honest, ...changes });
    const cases: readonly (readonly [
      url: string,
      changes: object,
      ownRpcUrl: string,
      reason: RegExp,
    ])[] = [
      [anvil.url, { chainId: 1 }, anvil.url, /chain 1 is not a local chain/],
      [other.url, {}, other.url, /the RPC serves chain 1/],
      [anvil.url, {}, other.url, /another RPC is configured/],
      [anvil.url, { rpcUrls: [anvil.url, other.url] }, anvil.url, /another RPC is configured/],
      ...['http://192.0.2.1:8545', 'https://mainnet.example'].map(
        (url) => [url, {}, url, /not on this machine/] as const,
      ),
      [anvil.url, { contractAddress: ANVIL_ACCOUNT }, anvil.url, /contract is not the sample/],
    ];
    for (const [url, changes, ownRpcUrl, reason] of cases) {
      await expect(openDemo(chain(url, changes), ownRpcUrl)).rejects.toThrow(reason);
    }
    for (const [changes, reason] of [
      [{ eth_chainId: '0x1' }, /serves chain 1/],
      [{ web3_clientVersion: 'Geth/v1.15.0' }, /Geth\/v1\.15\.0, and not anvil/],
      [{ eth_accounts: [] }, /other accounts than anvil/],
      [{ eth_accounts: [`0x${'ab'.repeat(20)}`] }, /other accounts than anvil/],
    ] as const) {
      const url = await fake(changes);
      await expect(openDemo(chain(url), url)).rejects.toThrow(reason);
    }
    const url = await fake({});
    await expect(openDemo(chain(url), url)).resolves.toMatchObject({ chainId: 31_337 });
  });

  it('opens by no variable', () => {
    expect(allVariables.filter(({ name }) => /DEMO|FAUCET|TRY|OWN_CHAIN/.test(name))).toEqual([]);
  });
});
