import {
  type Address,
  type ContractFunctionArgs,
  type Hex,
  hashTypedData,
  type TypedDataDomain,
  type TypedDataParameter,
} from 'viem';
import type { referralCommerceAbi } from '../../abis/index.ts';
import { ownerOf, termsOf } from './calls.ts';
import { domainOf, price } from './scenes.ts';
import { genesisTime, hashOf, hour, sku, type World } from './support.ts';

type Args<F extends 'buyFor' | 'joinFor' | 'fundFor'> = ContractFunctionArgs<
  typeof referralCommerceAbi,
  'nonpayable',
  F
>;

export type BuyOrder = Args<'buyFor'>[0];
export type JoinOrder = Args<'joinFor'>[0];
export type FundOrder = Args<'fundFor'>[0];
export type Payment = Args<'buyFor'>[2];

/** The EIP-712 messages of `contracts/Orders.sol`. */
export const orderTypes = {
  BuyOrder: [
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'buyer', type: 'address' },
    { name: 'nodeId', type: 'uint256' },
    { name: 'nodeOwner', type: 'address' },
    { name: 'skuHash', type: 'bytes32' },
    { name: 'orderKey', type: 'bytes32' },
    { name: 'maxAmount', type: 'uint256' },
    { name: 'minPolicyVersion', type: 'uint32' },
    { name: 'deadline', type: 'uint64' },
  ],
  JoinOrder: [
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'account', type: 'address' },
    { name: 'parentNodeId', type: 'uint256' },
    { name: 'parentOwner', type: 'address' },
    { name: 'salt', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
  FundOrder: [
    { name: 'campaignId', type: 'uint256' },
    { name: 'termsHash', type: 'bytes32' },
    { name: 'account', type: 'address' },
    { name: 'amount', type: 'uint256' },
    { name: 'salt', type: 'bytes32' },
    { name: 'deadline', type: 'uint64' },
  ],
} as const;

export type OrderType = keyof typeof orderTypes;
export type Order = BuyOrder | JoinOrder | FundOrder;

/** Ordinals of the contract's enum. */
export const paymentKinds = { allowance: 0, permit: 1, authorization: 2 } as const;

export const byAllowance: Payment = {
  kind: paymentKinds.allowance,
  validAfter: 0n,
  validBefore: 0n,
  signature: '0x',
};

/** Deadline of all orders, if not said otherwise, unix seconds. */
export const deadline = genesisTime + 2n * hour;

/** An order of the buyer, direct, of campaign 1, at most at the price of the scene. */
export async function buyOrderFor(w: World, changes: Partial<BuyOrder> = {}): Promise<BuyOrder> {
  const { campaignId = 1n, nodeId = 0n } = changes;
  return {
    campaignId,
    termsHash: await termsOf(w, campaignId),
    buyer: w.buyer,
    nodeId,
    nodeOwner: await ownerOf(w, nodeId),
    skuHash: sku,
    orderKey: hashOf('order'),
    maxAmount: price,
    minPolicyVersion: 1,
    deadline,
    ...changes,
  };
}

/** An order of the first distributor to become a root of campaign 1. */
export async function joinOrderFor(w: World, changes: Partial<JoinOrder> = {}): Promise<JoinOrder> {
  const { campaignId = 1n, parentNodeId = 0n } = changes;
  return {
    campaignId,
    termsHash: await termsOf(w, campaignId),
    account: w.nodes[0],
    parentNodeId,
    parentOwner: await ownerOf(w, parentNodeId),
    salt: hashOf('salt'),
    deadline,
    ...changes,
  };
}

/** An order of the merchant to put the price of the scene into the vault of campaign 1. */
export async function fundOrderFor(w: World, changes: Partial<FundOrder> = {}): Promise<FundOrder> {
  const { campaignId = 1n } = changes;
  return {
    campaignId,
    termsHash: await termsOf(w, campaignId),
    account: w.merchant,
    amount: price,
    salt: hashOf('salt'),
    deadline,
    ...changes,
  };
}

function typedOrder(w: World, primaryType: OrderType, order: Order, domain?: TypedDataDomain) {
  const types: { [name: string]: TypedDataParameter[] } = {
    [primaryType]: [...orderTypes[primaryType]],
  };
  const message: { [name: string]: unknown } = { ...order };
  return { domain: { ...domainOf(w), ...domain }, types, primaryType, message };
}

/** Digest that is signed of an order. */
export function digestOf(w: World, type: OrderType, order: Order): Hex {
  return hashTypedData(typedOrder(w, type, order));
}

/** Signature of an order by an account of anvil, for the protocol's domain or a changed one. */
export function signOrder(
  w: World,
  type: OrderType,
  order: Order,
  account: Address,
  domain?: TypedDataDomain,
): Promise<Hex> {
  return w.client.signTypedData({ account, ...typedOrder(w, type, order, domain) });
}

/** Domain of the messages of `SignedToken`. */
function domainOfToken({ client, token }: World): TypedDataDomain {
  const chainId = client.chain.id;
  return { name: 'Signed Dollar', version: '1', chainId, verifyingContract: token.address };
}

/** A permit of the token of the world, signed by an account of anvil. */
export async function byPermit(
  w: World,
  owner: Address,
  value: bigint,
  nonce = 0n,
): Promise<Payment> {
  const fields = ['owner address', 'spender address', 'value uint256', 'nonce uint256'];
  const signature = await w.client.signTypedData({
    account: owner,
    domain: domainOfToken(w),
    types: { Permit: parameters([...fields, 'deadline uint256']) },
    primaryType: 'Permit',
    message: { owner, spender: w.commerce.address, value, nonce, deadline },
  });
  return { kind: paymentKinds.permit, validAfter: 0n, validBefore: deadline, signature };
}

/** An authorization of the token of the world, signed by an account of anvil. */
export async function byAuthorization(
  w: World,
  from: Address,
  value: bigint,
  nonce: Hex,
  signer = from,
): Promise<Payment> {
  const validAfter = 0n;
  const validBefore = deadline;
  const fields = ['from address', 'to address', 'value uint256', 'validAfter uint256'];
  const signature = await w.client.signTypedData({
    account: signer,
    domain: domainOfToken(w),
    types: {
      ReceiveWithAuthorization: parameters([...fields, 'validBefore uint256', 'nonce bytes32']),
    },
    primaryType: 'ReceiveWithAuthorization',
    message: { from, to: w.commerce.address, value, validAfter, validBefore, nonce },
  });
  return { kind: paymentKinds.authorization, validAfter, validBefore, signature };
}

/** Parameters of EIP-712 from their names and types. */
function parameters(fields: readonly string[]): TypedDataParameter[] {
  return fields.map((field) => {
    const [name = '', type = ''] = field.split(' ');
    return { name, type };
  });
}
