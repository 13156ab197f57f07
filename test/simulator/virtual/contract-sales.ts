import type { Address, Hex } from '../../../engine/core/events.ts';
import { shareAfterRefund, splitReward } from '../../../engine/core/split.ts';
import { checkAmount, type NodeRef, refuse, type VirtualContract } from './contract.ts';
import type { CampaignRef, VirtualCampaign, VirtualNode, VirtualSale } from './contract-state.ts';
import { hash32 } from './hash.ts';

/** Seconds within which a finalized attested sale can be reversed. */
const REVERSAL_SECONDS = 2_592_000;

export interface Order {
  readonly campaign: CampaignRef;
  readonly buyer: Address;
  readonly node: NodeRef;
  readonly orderKey: Hex;
}

/** A sale as calls name it: the same on every fork, whatever its number. */
export type SaleRef = Pick<Order, 'campaign' | 'buyer' | 'orderKey'>;

/** A purchase at the campaign's price. */
export function buy(contract: VirtualContract, order: Order): void {
  const campaign = contract.named(order.campaign);
  if (campaign.trustMode !== 'NATIVE_ONCHAIN') refuse('WrongTrustMode');
  const selling = open(contract, campaign, order);
  const amount = contract.pull(campaign.token, campaign.price);
  const { proceedsPending, proceedsClaimable } = campaign.ledger;
  checkAmount(proceedsPending + proceedsClaimable + amount);
  contract.owe(campaign.token, amount);
  contract.move(campaign, { proceedsPending: amount });
  record(contract, campaign, order, selling, amount);
}

/** A signature for a sale that was paid elsewhere; the nonce is used once for each signer. */
export interface Signed {
  readonly signer: Address;
  readonly nonce: string;
}

/** A sale that was paid elsewhere. */
export function attest(
  contract: VirtualContract,
  order: Order,
  amount: bigint,
  { signer, nonce }: Signed,
): void {
  const campaign = contract.named(order.campaign);
  if (campaign.trustMode === 'NATIVE_ONCHAIN') refuse('WrongTrustMode');
  if (amount === 0n) refuse('ZeroAmount');
  checkAmount(amount);
  if (campaign.trustMode === 'MERCHANT_ATTESTED') {
    if (signer !== campaign.merchant) refuse('InvalidSignature');
  } else {
    if (signer === campaign.merchant) refuse('AttesterNotAllowed');
    useLimits(contract, campaign, signer, amount);
  }
  const selling = open(contract, campaign, order);
  const saleId = String(contract.sales.length + 1);
  contract.emit(campaign, {
    name: 'SaleAttested',
    args: { saleId, signer, nonce },
  });
  record(contract, campaign, order, selling, amount);
}

/** Counts a sale against the limits of its attester. @throws {Revert} above them. */
function useLimits(
  { now, undo }: VirtualContract,
  { attesters }: VirtualCampaign,
  signer: Address,
  amount: bigint,
): void {
  const attester = attesters.get(signer);
  if (attester === undefined || now >= attester.expiry) refuse('AttesterNotAllowed');
  if (amount > attester.perOrder) refuse('AboveOrderLimit');
  const day = Math.floor(now / 86_400);
  const attested = amount + (attester.day === day ? attester.attested : 0n);
  if (attested > attester.daily) refuse('AboveDailyLimit');
  undo.put(attesters, signer, { ...attester, day, attested });
}

/** The sale that a call names. @throws {Revert} if this fork has none. */
function saleOf(contract: VirtualContract, { campaign, buyer, orderKey }: SaleRef): VirtualSale {
  const id = contract.named(campaign).orders.get(`${buyer} ${orderKey}`) ?? 0;
  return contract.sales[id - 1] ?? refuse('UnknownOrder');
}

function open(
  contract: VirtualContract,
  campaign: VirtualCampaign,
  order: Order,
): VirtualNode | null {
  if (contract.stateOf(campaign) !== 'FUNDED_ACTIVE') refuse('WrongState');
  if (contract.now < campaign.startsAt) refuse('NotStarted');
  if (campaign.sales.length >= campaign.saleCapacity) refuse('SaleCapacityReached');
  const node = contract.nodeOf(campaign, order.node);
  const used = `${order.buyer} ${order.orderKey}`;
  if (campaign.orders.has(used)) refuse('OrderKeyUsed');
  contract.undo.put(campaign.orders, used, contract.sales.length + 1);
  return node;
}

function record(
  contract: VirtualContract,
  campaign: VirtualCampaign,
  order: Order,
  selling: VirtualNode | null,
  amount: bigint,
): void {
  const policy = contract.policyOf(campaign) ?? refuse('NoPolicyAt');
  const path: VirtualNode[] = [];
  for (let node = selling; node !== null && path.length < 5; node = node.parent) path.push(node);
  const { ledger } = campaign;
  const split = splitReward({
    amount,
    liability: ledger.pendingReserved + ledger.vestedUnclaimed + ledger.rewardsClaimed,
    available: ledger.available,
    path: path.map(({ id }) => String(id)),
    policy,
  });
  const shares = split.shares.map((share) => share.amount);
  const rewarded = path.slice(0, shares.length);
  if (policy.excludesSelfReferral && rewarded.some(({ owner }) => owner === order.buyer)) {
    refuse('SelfReferral');
  }
  contract.move(campaign, { available: -split.reserved, pendingReserved: split.reserved });
  const sale: VirtualSale = {
    ...{ id: contract.sales.length + 1, campaign, buyer: order.buyer, amount, shares },
    orderKey: order.orderKey,
    path: rewarded,
    holdUntil: contract.now + policy.holdSeconds,
    recordedBlock: contract.blockNumber,
    ...{ status: 'pending', refunded: 0n, finalizedAt: 0, claimsAtVesting: [] },
  };
  contract.undo.push(contract.sales, sale);
  contract.undo.push(campaign.sales, sale);
  contract.emit(campaign, {
    name: 'SaleRecorded',
    args: {
      saleId: String(sale.id),
      buyer: order.buyer,
      nodeId: String(selling?.id ?? 0),
      amount,
      pool: split.pool,
      shares,
      policyVersion: policy.version,
      holdUntil: sale.holdUntil,
      orderKey: order.orderKey,
      skuHash: campaign.skuHash,
    },
  });
}

/** Gives back a part of a sale, or all that is left of it. */
export function refund(contract: VirtualContract, ref: SaleRef, by: Address, amount: bigint): void {
  const sale = saleOf(contract, ref);
  const { campaign } = sale;
  if (campaign.merchant !== by) refuse('NotMerchant');
  if (sale.status !== 'pending') refuse('SaleNotPending');
  if (amount === 0n || amount > sale.amount - sale.refunded) refuse('RefundTooLarge');
  const refundedTotal = sale.refunded + amount;
  for (const [i, share] of sale.shares.entries()) {
    const held = shareAfterRefund(share, sale.amount, sale.refunded);
    const released = held - shareAfterRefund(share, sale.amount, refundedTotal);
    if (released === 0n) continue;
    contract.move(campaign, { pendingReserved: -released, available: released });
    emitLevel(contract, 'RewardReleased', sale, i, released);
  }
  contract.undo.set(sale, 'refunded', refundedTotal);
  if (refundedTotal === sale.amount) contract.undo.set(sale, 'status', 'refunded');
  const native = campaign.trustMode === 'NATIVE_ONCHAIN';
  if (native) contract.move(campaign, { proceedsPending: -amount, buyerRefunded: amount });
  contract.emit(campaign, {
    name: 'SaleRefunded',
    args: {
      ...{ saleId: String(sale.id), buyer: sale.buyer, amount, refundedTotal },
      reasonHash: hash32('reason'),
    },
  });
  if (native) contract.pay(campaign, sale.buyer, amount);
}

/** Finalizes sales whose hold is over; entries that are not due or do not exist are skipped. */
export function finalize(contract: VirtualContract, saleIds: readonly number[]): void {
  for (const id of saleIds) {
    const sale = contract.sales[id - 1];
    if (sale?.status !== 'pending' || contract.now < sale.holdUntil) continue;
    finalizeOne(contract, sale);
  }
}

function finalizeOne(contract: VirtualContract, sale: VirtualSale): void {
  const { campaign } = sale;
  contract.undo.set(sale, 'status', 'finalized');
  contract.undo.set(sale, 'finalizedAt', contract.now);
  const claims = sale.path.map(({ owner }) => campaign.claims.get(owner) ?? 0);
  contract.undo.set(sale, 'claimsAtVesting', claims);
  for (const [i, share] of sale.shares.entries()) {
    const held = shareAfterRefund(share, sale.amount, sale.refunded);
    const owner = sale.path[i]?.owner;
    if (held === 0n || owner === undefined) continue;
    contract.undo.put(campaign.claimable, owner, (campaign.claimable.get(owner) ?? 0n) + held);
    contract.move(campaign, { pendingReserved: -held, vestedUnclaimed: held });
    emitLevel(contract, 'RewardVested', sale, i, held);
  }
  if (campaign.trustMode === 'NATIVE_ONCHAIN') {
    const left = sale.amount - sale.refunded;
    contract.move(campaign, { proceedsPending: -left, proceedsClaimable: left });
  }
  contract.emit(campaign, {
    name: 'SaleFinalized',
    args: { saleId: String(sale.id), refundedTotal: sale.refunded },
  });
}

/** Reverses the unclaimed rewards of a finalized attested sale. */
export function reverse(contract: VirtualContract, ref: SaleRef, by: Address): void {
  const sale = saleOf(contract, ref);
  const { campaign } = sale;
  if (campaign.merchant !== by) refuse('NotMerchant');
  if (campaign.trustMode === 'NATIVE_ONCHAIN') refuse('WrongTrustMode');
  if (sale.status !== 'finalized') refuse('SaleNotFinalized');
  if (contract.now > sale.finalizedAt + REVERSAL_SECONDS) refuse('ReversalTooLate');
  contract.undo.set(sale, 'status', 'reversed');
  for (const [i, share] of sale.shares.entries()) {
    const held = shareAfterRefund(share, sale.amount, sale.refunded);
    const owner = sale.path[i]?.owner;
    if (held === 0n || owner === undefined) continue;
    if ((campaign.claims.get(owner) ?? 0) !== sale.claimsAtVesting[i]) continue;
    contract.undo.put(campaign.claimable, owner, (campaign.claimable.get(owner) ?? 0n) - held);
    contract.move(campaign, { vestedUnclaimed: -held, available: held });
    emitLevel(contract, 'RewardReversed', sale, i, held);
  }
  contract.emit(campaign, {
    name: 'SaleReversed',
    args: { saleId: String(sale.id), reasonHash: hash32('reversal') },
  });
}

/** Pays an account all that it can claim in a campaign. */
export function claimRewards(contract: VirtualContract, id: string, by: Address): void {
  const campaign = contract.campaign(id);
  const amount = campaign.claimable.get(by) ?? 0n;
  if (amount === 0n) refuse('NothingClaimable');
  contract.undo.put(campaign.claimable, by, 0n);
  contract.undo.put(campaign.claims, by, (campaign.claims.get(by) ?? 0) + 1);
  contract.move(campaign, { vestedUnclaimed: -amount, rewardsClaimed: amount });
  contract.emit(campaign, { name: 'RewardsClaimed', args: { account: by, amount } });
  contract.pay(campaign, by, amount);
}

/** Pays the merchant what finalized sales brought in. */
export function claimProceeds(contract: VirtualContract, id: string, by: Address): void {
  const campaign = contract.campaign(id);
  if (campaign.merchant !== by) refuse('NotMerchant');
  const amount = campaign.ledger.proceedsClaimable;
  if (amount === 0n) refuse('NothingClaimable');
  contract.move(campaign, { proceedsClaimable: -amount, proceedsClaimed: amount });
  contract.owe(campaign.token, -amount);
  contract.emit(campaign, { name: 'ProceedsClaimed', args: { account: by, amount } });
  if (!contract.send(campaign.token, by, amount)) refuse('TransferFailed');
}

function emitLevel(
  contract: VirtualContract,
  name: 'RewardReleased' | 'RewardVested' | 'RewardReversed',
  sale: VirtualSale,
  index: number,
  amount: bigint,
): void {
  const node = sale.path[index];
  if (node === undefined) throw new Error(`sale ${sale.id} has no level ${index + 1}`);
  contract.emit(sale.campaign, {
    name,
    args: {
      saleId: String(sale.id),
      level: index + 1,
      nodeId: String(node.id),
      recipient: node.owner,
      amount,
    },
  });
}
