import { encodeFunctionData, type Hex, maxUint256, toHex } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { SKU } from './actions.ts';
import type { TestChain } from './chain.ts';

/** A transaction for anvil to put into a block alone. */
export type Request = { from: Hex; to: Hex; data: Hex; gas: Hex };

/** Replaces the newest `depth` blocks by others that hold just these transactions, by block. */
export async function reorg(
  { client }: TestChain,
  depth: number,
  transactions: [Request, number][],
): Promise<void> {
  await client.request<{
    Method: 'anvil_reorg';
    Parameters: [number, [Request, number][]];
    ReturnType: null;
  }>({ method: 'anvil_reorg', params: [depth, transactions] });
}

/** What a purchase is made of besides the buyer and its order. */
export interface Place {
  readonly campaignId: bigint;
  readonly termsHash: Hex;
  readonly nodeId: bigint;
  readonly nodeOwner: Hex;
}

/** A purchase at any price, as a transaction for `reorg`. */
export function purchase(
  { contract }: TestChain,
  sale: Place & { readonly buyer: Hex; readonly orderKey: Hex },
): Request {
  const { campaignId, termsHash, nodeId, nodeOwner, orderKey } = sale;
  const order = [SKU, orderKey, maxUint256, 1] as const;
  const args = [campaignId, termsHash, nodeId, nodeOwner, ...order] as const;
  const data = encodeFunctionData({ abi: referralCommerceAbi, functionName: 'buy', args });
  return { from: sale.buyer, to: contract, data, gas: toHex(1_500_000) };
}
