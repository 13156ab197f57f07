import { concatHex, keccak256, zeroAddress } from 'viem';
import { recordedSales } from '../../../core/campaign.ts';
import type { Address, Hex } from '../../../core/events.ts';
import { MAX_LEVELS, type NewSale, type Node, saleEvents } from '../../../core/fold/index.ts';
import { afterEvents, allChanges, type Change } from '../../../core/preview.ts';
import { selfReferralOf } from '../../../core/self-referral.ts';
import { ledgerId } from '../../../db/ids.ts';
import type { CampaignView } from '../../../db/read/campaigns/rows.ts';
import { readPath } from '../../../db/read/graph/nodes.ts';
import { attestedOnDay, attestersOf } from '../../../db/read/operations/attesters.ts';
import { accountsToChange } from '../../../db/read/operations/sale-state.ts';
import { orderSale } from '../../../db/read/sales/by-order.ts';
import type { Snapshot } from '../../../db/read/snapshot.ts';
import type { AppDeps } from '../../deps.ts';
import type { ContractError } from '../../render/contract-errors.ts';
import { type OwnState, ownStateIn } from '../operations/own-state.ts';
import type { OperationWarning, Refusal } from '../operations/prepare.ts';
import { budgetWarning } from '../operations/warnings.ts';
import { type Attester, limitReason } from './limits.ts';

/** A sale that was paid outside the contract; addresses and hashes in lower case. */
export type OutsideOrder = Omit<NewSale, 'saleId'>;

/** An order at the settled block, with the campaign that it belongs to. */
export interface OrderState extends OwnState {
  readonly order: OutsideOrder;
  /** Rewarded nodes, starting with the one that sold; empty for a sale without a link, and if there is no such node. */
  readonly path: readonly Node[];
  /** Sale that the order already has; `null` if there is none. */
  readonly saleId: string | null;
  /** Attesters of a THIRD_PARTY_VERIFIED campaign, or those of them that were asked for. */
  readonly attesters: readonly Attester[];
  /** Unix seconds of the next block; `null` if the chain did not answer. */
  readonly now: number | null;
}

/**
 * Reads the facts that decide whether an order can be recorded.
 * @param among only these attesters; default all, 100 at most.
 */
export async function readOrder(
  deps: AppDeps,
  snapshot: Snapshot,
  campaign: CampaignView,
  { order, now, among }: Pick<OrderState, 'order' | 'now'> & { readonly among?: Address[] },
): Promise<OrderState> {
  const { campaignId, trustMode } = campaign;
  const nodeId = ledgerId(order.nodeId) ?? '0';
  const [path, sale, attesters] = await Promise.all([
    nodeId === '0' ? [] : readPath(snapshot.sql, snapshot.head, { campaignId, nodeId }, MAX_LEVELS),
    orderSale(snapshot, { campaignId, ...order }),
    trustMode === 'THIRD_PARTY_VERIFIED' ? readAttesters(snapshot, campaign, now, among) : [],
  ]);
  const owners = path.map(({ owner }) => owner);
  const accounts = await accountsToChange(snapshot, campaign, owners);
  const own = await ownStateIn(deps, snapshot, campaign, { nodes: path, accounts });
  return {
    ...own,
    order,
    path,
    saleId: sale?.saleId ?? null,
    attesters,
    now,
  };
}

/** Attesters with what each attested today. The merchant is none, even if it allowed itself. */
async function readAttesters(
  snapshot: Snapshot,
  campaign: CampaignView,
  now: number | null,
  among: readonly Address[] | undefined,
): Promise<Attester[]> {
  const allowed = await attestersOf(snapshot, campaign, among);
  const attesters = allowed.filter(({ account }) => account !== campaign.merchant);
  const accounts = attesters.map(({ account }) => account);
  const today = await attestedOnDay(snapshot, campaign, accounts, now ?? snapshot.head.timestamp);
  return attesters.map((one) => ({ ...one, attestedToday: today.get(one.account) ?? 0n }));
}

/** Accounts of which one must sign an order: without attesters whose limits it exceeds. */
export function signersOf({ campaign, attesters, order, now }: OrderState): Address[] {
  if (campaign.trustMode === 'MERCHANT_ATTESTED') return [campaign.merchant];
  return attesters
    .filter((attester) => limitReason(attester, order.amount, now) === null)
    .map(({ account }) => account);
}

/** Why none of the attesters may sign an order; empty if one may, or if the campaign needs none. */
export function attesterReasons({ campaign, attesters, order, now }: OrderState): Refusal[] {
  if (campaign.trustMode !== 'THIRD_PARTY_VERIFIED') return [];
  if (attesters.length === 0) return ['AttesterNotAllowed'];
  const reasons = attesters.map((attester) => limitReason(attester, order.amount, now));
  return reasons.every((reason) => reason !== null) ? reasons : [];
}

/** `SelfReferral` if the buyer owns a node that the sale would reward, and the policy excludes that. */
export function selfReferralErrors({
  campaign: { policy },
  path,
  order,
}: Pick<OrderState, 'campaign' | 'path' | 'order'>): ContractError[] {
  if (!policy.excludesSelfReferral) return [];
  const rewarded = path.slice(0, policy.maxRewardedAncestors);
  const own = selfReferralOf({ buyer: order.buyer, path: rewarded });
  return own.length > 0 ? ['SelfReferral'] : [];
}

/**
 * Errors with which the contract would refuse the order at the settled block before it asks who signed, in the
 * order of its checks (docs/reference/protocol.md#sales-and-their-split).
 */
export function orderErrors({ campaign, clock, order, path }: OrderState): ContractError[] {
  const { state, snapshot, startsAt, trustMode } = campaign;
  const errors: (ContractError | false)[] = [
    trustMode === 'NATIVE_ONCHAIN' && 'WrongTrustMode',
    state !== 'FUNDED_ACTIVE' && 'WrongState',
    clock < startsAt && 'NotStarted',
    recordedSales(snapshot.counts) >= snapshot.saleCapacity && 'SaleCapacityReached',
    order.nodeId !== '0' && path.length === 0 && 'UnknownNode',
  ];
  return errors.filter((one) => one !== false);
}

/** Changes by the sale of an order, as the fold computes them, and what else to know of it. */
export function orderEffects({ state, clock, order }: OrderState): {
  readonly preview: readonly Change[];
  readonly warnings: readonly OperationWarning[];
} {
  const after = afterEvents(state, saleEvents(state, { ...order, saleId: 'new' }, clock), clock);
  return {
    preview: allChanges(state, after, clock),
    warnings: [budgetWarning(after, clock, undefined, order.amount)],
  };
}

/** Owner of the node that sold; the zero address for a sale without a link. */
export function nodeOwnerOf({ path }: Pick<OrderState, 'path'>): Address {
  return path[0]?.owner ?? zeroAddress;
}

/**
 * Nonce of an order's attestation. It follows from what names the order, which can be recorded only once, so
 * no two orders of a campaign have the same, and preparing an order again gives the same.
 */
export function nonceOf(termsHash: Hex, { buyer, orderKey }: OutsideOrder): bigint {
  return BigInt(keccak256(concatHex([termsHash, buyer, orderKey])));
}
