import { encodeFunctionData, type Hex, maxUint256, toHex } from 'viem';
import { referralCommerceAbi } from '../../abis/referralCommerce.ts';
import { SKU } from './actions.ts';
import type { TestChain } from './chain.ts';

/** A transaction for anvil to put into a block by itself. */
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

/** A purchase at any price, as a transaction for `reorg`. */
export function purchase(
  { contract }: TestChain,
  sale: { campaignId: bigint; nodeId: bigint; buyer: Hex; orderKey: Hex },
): Request {
  const args = [sale.campaignId, sale.nodeId, SKU, sale.orderKey, maxUint256, 1] as const;
  const data = encodeFunctionData({ abi: referralCommerceAbi, functionName: 'buy', args });
  return { from: sale.buyer, to: contract, data, gas: toHex(1_500_000) };
}
