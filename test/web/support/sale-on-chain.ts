import {
  type Address,
  createTestClient,
  http,
  keccak256,
  parseEventLogs,
  publicActions,
  toHex,
  walletActions,
  zeroAddress,
} from 'viem';
import { foundry } from 'viem/chains';
import { referralCommerceAbi } from '../../../abis/referralCommerce.ts';
import { testTokenAbi } from '../../../abis/testToken.ts';
import { createClient } from '../../../engine/client/index.ts';
import { mined } from '../../support/chain.ts';
import type { SampleSite } from './sample-site.ts';

/** An account that the sample does not know. */
const BUYER: Address = '0x00000000000000000000000000000000000b0e5e';

/** Makes a sale on the sample's chain, and takes the chain back to where it was. */
export async function onChain({ url, rpcUrl, contractAddress }: SampleSite) {
  const client = createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions);
  const snapshot = await client.snapshot();
  const contract = { address: contractAddress, abi: referralCommerceAbi, account: BUYER } as const;

  /** Buys in a campaign of the sample that takes sales. Answers the sale's number. */
  async function buy(): Promise<string> {
    const { campaignId, termsHash, token, price, skuHash } = await sellingCampaign(url);
    await client.setBalance({ address: BUYER, value: 10n ** 20n });
    await client.impersonateAccount({ address: BUYER });
    const money = { address: token, abi: testTokenAbi, account: BUYER } as const;
    const mint = { ...money, functionName: 'mint', args: [BUYER, price] } as const;
    await mined(client, await client.writeContract(mint));
    const approve = { ...money, functionName: 'approve', args: [contractAddress, price] } as const;
    await mined(client, await client.writeContract(approve));
    // An order's key is used once.
    const orderKey = keccak256(toHex(`order at ${await client.getBlockNumber()}`));
    const order = [skuHash, orderKey, price, 1] as const;
    const args = [campaignId, termsHash, 0n, zeroAddress, ...order] as const;
    const hash = await client.writeContract({ ...contract, functionName: 'buy', args });
    const { logs } = await mined(client, hash);
    const [sale] = parseEventLogs({ abi: referralCommerceAbi, logs, eventName: 'SaleRecorded' });
    if (sale === undefined) throw new Error('the purchase recorded no sale');
    return sale.args.saleId.toString();
  }

  /** Makes the chain forget everything since. */
  const revert = () => client.revert({ id: snapshot });

  return { buy, revert };
}

async function sellingCampaign(baseUrl: string) {
  const api = createClient({ baseUrl });
  const query = { status: 'active', source: 'NATIVE_ONCHAIN', limit: 1 } as const;
  const [found] = (await api.campaigns.list(query)).data.items;
  if (found === undefined) throw new Error('the sample has no campaign that sells');
  const { data } = await api.campaigns.get({ campaignId: found.campaignId });
  const { termsHash, token, product } = data;
  return {
    campaignId: BigInt(found.campaignId),
    termsHash,
    token: token.address,
    price: BigInt(product.priceBaseUnits),
    skuHash: product.skuHash,
  };
}
