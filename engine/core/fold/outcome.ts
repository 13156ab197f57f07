import { policyAt } from '../campaign.ts';
import { type Address, type ChainEvent, type EventArgs, FactError, type Hex } from '../events.ts';
import { splitReward } from '../split.ts';
import { hasClaimedSince, heldAfterRefund } from './close.ts';
import { isNative, pathOf, splitInputOf } from './record.ts';
import type { FoldState, Sale, SaleLevel } from './state.ts';

/** A purchase that is about to be recorded. */
export interface NewSale {
  readonly saleId: string;
  readonly buyer: Address;
  /** '0' for a sale without a link. */
  readonly nodeId: string;
  /** Base units. */
  readonly amount: bigint;
  readonly orderKey: Hex;
  readonly skuHash: Hex;
}

/**
 * The event of a sale recorded at `timestamp` (Unix seconds): split, policy and hold as the contract
 * computes them (docs/reference/protocol.md#sales-and-their-split).
 * @throws {FactError} if no policy is in effect.
 */
export function saleEvents(state: FoldState, sale: NewSale, timestamp: number): ChainEvent[] {
  const policy = policyAt(state.policies, timestamp);
  if (policy === undefined) throw new FactError(`no policy is in effect at ${timestamp}`);
  const path = pathOf(state.nodes, sale.nodeId);
  const { pool, shares } = splitReward(splitInputOf(state, policy, path, sale.amount));
  const args: EventArgs<'SaleRecorded'> = {
    ...sale,
    pool,
    shares: shares.map(({ amount }) => amount),
    policyVersion: policy.version,
    holdUntil: timestamp + policy.holdSeconds,
  };
  return [{ name: 'SaleRecorded', args }];
}

/**
 * The events of a refund of `amount` base units: what each level releases, then the refund
 * (docs/reference/protocol.md#sales-and-their-split).
 * @throws {FactError} if the sale is unknown.
 */
export function refundEvents(
  state: FoldState,
  saleId: string,
  amount: bigint,
  reasonHash: Hex,
): ChainEvent[] {
  const sale = saleOf(state, saleId);
  const refundedTotal = sale.refundedTotal + amount;
  const released = (level: SaleLevel) =>
    level.reserved - heldAfterRefund(sale, level, refundedTotal);
  const { buyer } = sale;
  const args = { saleId, buyer, amount, refundedTotal, reasonHash };
  return [...levelEvents('RewardReleased', sale, released), { name: 'SaleRefunded', args }];
}

/**
 * The events of finalizing a sale: what each level still holds becomes claimable.
 * @throws {FactError} if the sale is unknown.
 */
export function finalizeEvents(state: FoldState, saleId: string): ChainEvent[] {
  const sale = saleOf(state, saleId);
  const vested = levelEvents('RewardVested', sale, ({ reserved }) => reserved);
  const { refundedTotal } = sale;
  return [...vested, { name: 'SaleFinalized', args: { saleId, refundedTotal } }];
}

/**
 * The events of reversing a finalized sale: the rewards that were not claimed since return to the
 * budget (docs/reference/protocol.md#sales-and-their-split).
 * @throws {FactError} if the sale is unknown.
 */
export function reverseEvents(state: FoldState, saleId: string, reasonHash: Hex): ChainEvent[] {
  const reversed = levelEvents('RewardReversed', saleOf(state, saleId), (level) =>
    hasClaimedSince(state, level) ? 0n : level.vested,
  );
  return [...reversed, { name: 'SaleReversed', args: { saleId, reasonHash } }];
}

/** The event of an account's claim: its whole claimable balance. */
export function claimEvents(state: FoldState, account: Address): ChainEvent[] {
  const amount = state.accounts.get(account)?.claimable ?? 0n;
  return [{ name: 'RewardsClaimed', args: { account, amount } }];
}

/** The event of the merchant's claim of a campaign's proceeds. */
export function claimProceedsEvents(state: FoldState): ChainEvent[] {
  const account = state.campaign?.merchant;
  if (account === undefined || !isNative(state)) return [];
  const amount = state.snapshot.ledger.proceedsClaimable;
  return [{ name: 'ProceedsClaimed', args: { account, amount } }];
}

/** A sale of the campaign. @throws {FactError} if it is unknown. */
export function saleOf(state: FoldState, saleId: string): Sale {
  const sale = state.sales.get(saleId);
  if (sale === undefined) throw new FactError(`campaign ${state.campaignId} has no sale ${saleId}`);
  return sale;
}

/** An event for each level that has an amount; the contract emits none for 0. */
function levelEvents(
  name: 'RewardReleased' | 'RewardVested' | 'RewardReversed',
  { saleId, levels }: Sale,
  amountOf: (level: SaleLevel) => bigint,
): ChainEvent[] {
  return levels.flatMap((each) => {
    const { level, nodeId, recipient } = each;
    const amount = amountOf(each);
    return amount === 0n ? [] : [{ name, args: { saleId, level, nodeId, recipient, amount } }];
  });
}
