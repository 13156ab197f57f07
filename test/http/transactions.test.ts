import { createPublicClient, type Hex, http, maxUint256, zeroAddress, zeroHash } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Address } from '../../engine/core/events.ts';
import type { AppDeps } from '../../engine/http/deps.ts';
import {
  approveCall,
  commerceCall,
  unsignedTransaction,
} from '../../engine/http/resources/transactions/unsigned.ts';
import { createCampaign, fund, giveTokens, SKU, termsOf } from '../support/actions.ts';
import { accountAt, deployToken, mined, startTestChain, type TestChain } from '../support/chain.ts';

const lower = (address: string): Address => `0x${address.slice(2).toLowerCase()}`;

function toHexData(data: string): `0x${string}` {
  return `0x${data.slice(2)}`;
}

describe('unsignedTransaction', () => {
  let chain: TestChain;
  let deps: Pick<AppDeps, 'client' | 'deployment'>;
  let merchant: Address;
  let buyer: Address;
  let token: Address;
  let campaignId: bigint;
  let terms: Hex;

  beforeAll(async () => {
    chain = await startTestChain();
    merchant = lower(accountAt(chain.accounts, 1));
    buyer = lower(accountAt(chain.accounts, 2));
    token = await deployToken(chain);
    campaignId = await createCampaign(chain, merchant, token);
    terms = await termsOf(chain, campaignId);
    await fund(chain, { id: campaignId, token }, merchant, 1_000_000n);
    deps = {
      client: createPublicClient({ transport: http(chain.anvil.url) }),
      deployment: {
        chainId: 31_337,
        genesisHash: chain.genesisHash,
        contractAddress: lower(chain.contract),
        startBlock: 0,
        explorerUrl: null,
      },
    };
  });
  afterAll(async () => {
    await chain.stop();
  });

  function buy() {
    return commerceCall(deps.deployment, {
      functionName: 'buy',
      args: [campaignId, terms, 0n, zeroAddress, SKU, zeroHash, maxUint256, 1],
      description: 'Buys.',
    });
  }

  it('reports a revert with the contract’s error, before the wallet opens', async () => {
    const end = commerceCall(deps.deployment, {
      functionName: 'end',
      args: [campaignId],
      description: 'Ends the campaign.',
    });
    expect(await unsignedTransaction(deps, buyer, end)).toMatchObject({
      chainId: 31_337,
      to: deps.deployment.contractAddress,
      value: '0',
      description: 'Ends the campaign.',
      simulation: { status: 'revert', error: expect.stringMatching(/^\w+\(.*\)$/), gas: null },
    });
    const { simulation } = await unsignedTransaction(deps, merchant, end);
    expect(simulation).toMatchObject({ status: 'success', error: null });
    expect(Number(simulation.gas)).toBeGreaterThan(21_000);
  });

  it('returns unsigned transactions that a wallet can sign and send one after the other', async () => {
    const approve = approveCall(deps.deployment, {
      token,
      amount: 1_000_000n,
      description: 'Lets.',
    });
    const waits = await unsignedTransaction(deps, buyer, { ...buy(), waits: true });
    expect(waits.simulation).toEqual({ status: 'unavailable', error: null, gas: null });
    expect((await unsignedTransaction(deps, buyer, buy())).simulation.status).toBe('revert');

    await giveTokens(chain, token, buyer, 1_000_000n);
    for (const call of [approve, buy()]) {
      const { to, data, simulation } = await unsignedTransaction(deps, buyer, call);
      expect(simulation.status).toBe('success');
      const hash = await chain.client.sendTransaction({
        account: buyer,
        to,
        data: toHexData(data),
      });
      await mined(chain.client, hash);
    }
  });

  it('returns a simulation as unavailable instead of failing if the chain does not answer', async () => {
    const client = createPublicClient({
      transport: http('http://127.0.0.1:1', { retryCount: 0, timeout: 200 }),
    });
    const { simulation } = await unsignedTransaction({ ...deps, client }, buyer, buy());
    expect(simulation).toEqual({ status: 'unavailable', error: null, gas: null });
  });
});
