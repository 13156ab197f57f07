import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getAbiItem, toEventSelector } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { honest, RpcRefusal, startTraitRpc, type TraitRpc } from '../support/rpc-traits/proxy.ts';
import { runHere } from '../support/run-cli.ts';
import { receiptsOf, wholeReceipt } from '../verify/receipt.ts';
import {
  grow,
  open,
  sell,
  startVerifyFixture,
  type VerifyFixture,
} from '../verify/verify-fixture.ts';

const CREATED = toEventSelector(getAbiItem({ abi: referralCommerceAbi, name: 'CampaignCreated' }));

/** Each command is a process of its own. */
describe('tributary verify, of an API that lies', { timeout: 240_000 }, () => {
  let scene: VerifyFixture;
  let rpc: TraitRpc;
  let api: Server;
  let served: object;

  beforeAll(async () => {
    scene = await startVerifyFixture();
    const campaignId = await open(scene, {});
    const [, node = 0n] = await grow(scene, campaignId, 2);
    const saleId = await sell(scene, campaignId, node);
    const receipt = wholeReceipt((await receiptsOf(scene.chain))(saleId));
    // 1 TUSD of six decimals, called a million USDC of none.
    served = {
      ...receipt,
      token: { ...receipt.token, symbol: 'USDC', decimals: 0, address: `0x${'a0'.repeat(20)}` },
    };
    const genesisHash = scene.chain.genesisHash;
    api = createServer((request, response) => {
      const data = request.url?.includes('/receipts/') ? served : { deployment: { genesisHash } };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ data, meta: { requestId: 'r' } }));
    }).listen(0, '127.0.0.1');
    await once(api, 'listening');
    rpc = await startTraitRpc(scene.chain.anvil.url);
  });
  afterAll(async () => {
    api?.close();
    await rpc?.stop();
    await scene?.chain.stop();
  });

  const verify = () =>
    runHere([
      ...[
        'verify',
        '31337',
        '1',
        '--url',
        `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      ],
      ...['--rpc', rpc.url, '--contract', scene.chain.contract],
    ]);

  it('writes amounts with the symbol and decimals of the chain, and names the lie', async () => {
    rpc.lie = honest;
    const { code, stdout, stderr } = await verify();
    expect([code, stderr]).toEqual([1, '']);
    expect(stdout).toContain('Of 1 TUSD, 0.1 TUSD were the reward');
    expect(stdout).toContain('The receipt has token.symbol USDC, the chain has TUSD.');
    expect(stdout.match(/USDC/g)).toHaveLength(1);
    expect(stdout).not.toContain('base units');
  });

  it('writes base units of the policy’s token if the RPC does not say how the campaign was created', async () => {
    rpc.lie = (result, { method, params }) => {
      const isCreation = method === 'eth_getLogs' && JSON.stringify(params).includes(CREATED);
      if (isCreation) throw new RpcRefusal('too much', -32_005);
      return result;
    };
    const { code, stdout, stderr } = await verify();
    expect([code, stderr]).toEqual([3, '']);
    expect(stdout).toContain(
      `Amounts are in base units of token ${scene.token}: its symbol and decimals could not be read.`,
    );
    expect(stdout).toContain('Of 1000000 base units, 100000 base units were the reward');
    expect(stdout).not.toContain('USDC');
  });
});
