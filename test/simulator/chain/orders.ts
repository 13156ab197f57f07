import { type Hex, maxUint128, maxUint256, zeroAddress } from 'viem';
import { signTypedData } from 'viem/accounts';
import { signingDomain } from '../../../engine/core/signing-domain.ts';
import type { Actor } from '../../../sample/actors.ts';
import {
  type BuyOrder,
  byAllowance,
  type FundOrder,
  type JoinOrder,
  type OrderType,
  orderTypes,
} from '../../contracts/orders.ts';
import { type Call, callOf } from './call.ts';
import type { SeenCampaign, Sight } from './sight.ts';
import { hashOf } from './terms.ts';

/** How long an order is valid, seconds. */
const ORDER_SECONDS = 890n;

type Deadline = 'deadline';

/** A purchase by an order that its buyer signed, sent by anybody. */
export async function buyByOrder(
  sight: Sight,
  buyer: Actor,
  order: Omit<BuyOrder, Deadline | 'buyer'>,
): Promise<Call> {
  const message = { ...order, buyer: buyer.address, deadline: await deadline(sight) };
  const signature = await signOrder(sight, buyer, 'BuyOrder', message);
  return callOf(sight.anybody().address, 'buyFor', [message, signature, byAllowance]);
}

/** A node by an order that its owner signed, sent by anybody. */
export async function joinByOrder(
  sight: Sight,
  account: Actor,
  order: Omit<JoinOrder, Deadline | 'account'>,
): Promise<Call> {
  const message = { ...order, account: account.address, deadline: await deadline(sight) };
  const signature = await signOrder(sight, account, 'JoinOrder', message);
  return callOf(sight.anybody().address, 'joinFor', [message, signature]);
}

/** A funding by an order that who pays signed, sent by anybody. */
export async function fundByOrder(
  sight: Sight,
  account: Actor,
  order: Omit<FundOrder, Deadline | 'account'>,
): Promise<Call> {
  const message = { ...order, account: account.address, deadline: await deadline(sight) };
  const signature = await signOrder(sight, account, 'FundOrder', message);
  return callOf(sight.anybody().address, 'fundFor', [message, signature, byAllowance]);
}

/** Orders that the contract must refuse: forged, too late, or changed after they were signed. */
export async function refusedOrders(
  sight: Sight,
  { id: campaignId, termsHash, skuHash }: SeenCampaign,
  step: number,
): Promise<Call[]> {
  const buyer = sight.anybody();
  const { address } = sight.anybody();
  const order = {
    ...{ campaignId, termsHash, buyer: buyer.address, nodeId: 0n, nodeOwner: zeroAddress, skuHash },
    ...{ orderKey: hashOf(`order ${step}`), maxAmount: maxUint128, minPolicyVersion: 0 },
    deadline: await deadline(sight),
  };
  const late = { ...order, deadline: 1n };
  const signature = await signOrder(sight, buyer, 'BuyOrder', order);
  const forged = await signOrder(sight, sight.other(buyer), 'BuyOrder', order);
  const signedLate = await signOrder(sight, buyer, 'BuyOrder', late);
  const dearer = { ...order, maxAmount: maxUint256 };
  return [
    callOf(address, 'buyFor', [order, forged, byAllowance], 'InvalidSignature'),
    callOf(address, 'buyFor', [dearer, signature, byAllowance], 'InvalidSignature'),
    callOf(address, 'buyFor', [late, signedLate, byAllowance], 'OrderExpired'),
  ];
}

async function deadline(sight: Sight): Promise<bigint> {
  return (await sight.now()) + ORDER_SECONDS;
}

/** Signs an order for the contract of the market. */
function signOrder(
  { market }: Sight,
  { privateKey }: Actor,
  primaryType: OrderType,
  message: BuyOrder | JoinOrder | FundOrder,
): Promise<Hex> {
  const domain = { ...signingDomain, chainId: 31_337, verifyingContract: market.chain.contract };
  const types = { [primaryType]: [...orderTypes[primaryType]] };
  return signTypedData({
    privateKey,
    domain,
    types,
    primaryType,
    message: { ...message },
  } as never);
}
