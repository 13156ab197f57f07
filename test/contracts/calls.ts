import type { Address, ContractFunctionArgs, Hex } from 'viem';
import type { referralCommerceAbi } from '../../abis/index.ts';
import { hashOf, maxUint256, sku, type World, zeroAddress } from './support.ts';

type Args<F extends 'fund' | 'join' | 'buy' | 'refund' | 'reverse'> = ContractFunctionArgs<
  typeof referralCommerceAbi,
  'nonpayable',
  F
>;

/** Names a sale on every fork. */
export type SaleRef = Args<'refund'>[0];

/** Changes that a test makes to what a purchase names. */
export type Order = {
  readonly campaignId?: bigint;
  readonly termsHash?: Hex;
  readonly nodeId?: bigint;
  readonly nodeOwner?: Address;
  readonly skuHash?: Hex;
  readonly orderKey?: Hex;
  readonly maxAmount?: bigint;
  readonly minPolicyVersion?: number;
};

export const zeroHash: Hex = `0x${'00'.repeat(32)}`;

/** The terms hash of a campaign; zero if there is no such campaign. */
export async function termsOf({ commerce }: World, campaignId: bigint): Promise<Hex> {
  if (campaignId === 0n || campaignId > BigInt(await commerce.read.campaignCount())) {
    return zeroHash;
  }
  return (await commerce.read.campaign([campaignId])).termsHash;
}

/** The owner of a node; zero if there is no such node. */
export async function ownerOf({ commerce }: World, nodeId: bigint): Promise<Address> {
  if (nodeId === 0n || nodeId > BigInt(await commerce.read.nodeCount())) return zeroAddress;
  return (await commerce.read.node([nodeId])).owner;
}

/** The reference that names a sale on every fork; the order key is that of its event. */
export async function refOf(w: World, saleId: bigint): Promise<SaleRef> {
  const eventName = 'SaleRecorded';
  const { abi, address } = w.commerce;
  const range = { fromBlock: 0n } as const;
  const logs = await w.client.getContractEvents({ abi, address, eventName, ...range });
  const sale = logs.find(({ args }) => args.saleId === saleId)?.args;
  const { campaignId = 1n, buyer = w.buyer, orderKey = hashOf('no such order') } = sale ?? {};
  return { campaignId, termsHash: await termsOf(w, campaignId), buyer, orderKey };
}

export async function fundArgs(
  w: World,
  campaignId: bigint,
  amount: bigint,
): Promise<Args<'fund'>> {
  return [campaignId, await termsOf(w, campaignId), amount];
}

export async function joinArgs(
  w: World,
  campaignId: bigint,
  parentNodeId: bigint,
): Promise<Args<'join'>> {
  return [campaignId, await termsOf(w, campaignId), parentNodeId, await ownerOf(w, parentNodeId)];
}

/** A purchase in campaign 1, direct, at any price and under any policy, if not said otherwise. */
export async function buyArgs(w: World, order: Order): Promise<Args<'buy'>> {
  const { campaignId = 1n, nodeId = 0n, skuHash = sku, orderKey = hashOf('order') } = order;
  const { maxAmount = maxUint256, minPolicyVersion = 0 } = order;
  const termsHash = order.termsHash ?? (await termsOf(w, campaignId));
  const nodeOwner = order.nodeOwner ?? (await ownerOf(w, nodeId));
  return [campaignId, termsHash, nodeId, nodeOwner, skuHash, orderKey, maxAmount, minPolicyVersion];
}

/** Arguments of a refund that needs no attester. */
export async function refundArgs(
  w: World,
  saleId: bigint,
  amount: bigint,
): Promise<Args<'refund'>> {
  return [await refOf(w, saleId), amount, hashOf('reason'), 0n, '0x'];
}

/** Arguments of a reversal that needs no attester. */
export async function reverseArgs(w: World, saleId: bigint): Promise<Args<'reverse'>> {
  return [await refOf(w, saleId), hashOf('reason'), 0n, '0x'];
}
