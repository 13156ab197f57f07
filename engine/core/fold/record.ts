import { sum } from '../amounts.ts';
import { campaignState, liabilityOf, type Policy, policyAt, recordedSales } from '../campaign.ts';
import type { Address } from '../events.ts';
import { selfReferralOf } from '../self-referral.ts';
import { missedShares, type SplitInput, splitReward } from '../split.ts';
import { checkAttestation } from './attest.ts';
import type { FoldState, Node, Sale, SaleLevel } from './state.ts';
import {
  adjustCounts,
  adjustLedger,
  type FoldDraft,
  type FoldStep,
  postLevel,
  putSale,
  report,
} from './step.ts';

/** The state of a sale until a later event gives it another one. */
export const FIRST_STATE = { state: 'pending', refundedTotal: 0n, finalizedAt: null } as const;

/** The recipient of a share of a node without a NodeJoined. */
const UNKNOWN_ACCOUNT: Address = '0x0000000000000000000000000000000000000000';

/** The path of a sale: the selling node first, at most `MAX_LEVELS` nodes. None of a sale without a link. */
export function pathOf(nodes: ReadonlyMap<string, Node>, nodeId: string): Node[] {
  const path: Node[] = [];
  let next = nodes.get(nodeId);
  while (next !== undefined && path.length < MAX_LEVELS) {
    path.push(next);
    next = next.parentNodeId === null ? undefined : nodes.get(next.parentNodeId);
  }
  return path;
}

/**
 * SaleRecorded: computes the split, reports where the chain differs, and then moves the amounts of the
 * chain, level by level (docs/how-it-works/settlement.md#predict-then-prove).
 */
export function recordSale(step: FoldStep<'SaleRecorded'>): void {
  const { state, fact } = step;
  const { args } = fact;
  if (state.sales.has(args.saleId)) {
    report(step, 'DUPLICATE', 'a new sale', `sale ${args.saleId} again`, { saleId: args.saleId });
    return;
  }
  checkSaleAllowed(step);
  checkAttestation(step);
  const path = pathOf(state.nodes, args.nodeId);
  predict(step, path);

  const sale: Sale = {
    saleId: args.saleId,
    buyer: args.buyer,
    nodeId: args.nodeId === '0' ? null : args.nodeId,
    amount: args.amount,
    pool: args.pool,
    policyVersion: args.policyVersion,
    holdUntil: args.holdUntil,
    orderKey: args.orderKey,
    skuHash: args.skuHash,
    state: FIRST_STATE.state,
    refundedTotal: FIRST_STATE.refundedTotal,
    finalizedAt: FIRST_STATE.finalizedAt,
    levels: args.shares.map((share, i) => levelOf(i + 1, path[i], share)),
  };
  const reserved = sum(args.shares);
  adjustLedger(step, { available: -reserved, pendingReserved: reserved });
  if (isNative(state)) adjustLedger(step, { proceedsPending: args.amount });
  adjustCounts(step, { pending: 1 });
  for (const level of sale.levels) {
    postLevel(step, 'reserve', sale, level, level.share, { reserved: level.share });
  }
  putSale(step, sale);
  step.sale = sale;
}

/** True if a campaign's sales are paid to the contract, which then holds their proceeds. */
export function isNative(state: Pick<FoldDraft, 'campaign'>): boolean {
  return state.campaign?.trustMode === 'NATIVE_ONCHAIN';
}

/** Largest number of rewarded levels: the limit of `maxRewardedAncestors` (docs/reference/protocol.md#policy). */
export const MAX_LEVELS = 5;

/** The input of a sale's split. @param amount of the sale, base units. */
export function splitInputOf(
  { snapshot }: Pick<FoldState, 'snapshot'>,
  policy: Policy,
  path: readonly Node[],
  amount: bigint,
): SplitInput {
  const { ledger } = snapshot;
  const liability = liabilityOf(ledger);
  return {
    amount,
    liability,
    available: ledger.available,
    path: path.map(({ nodeId }) => nodeId),
    policy,
  };
}

function levelOf(level: number, node: Node | undefined, share: bigint): SaleLevel {
  return {
    level,
    nodeId: node?.nodeId ?? '0',
    recipient: node?.owner ?? UNKNOWN_ACCOUNT,
    share,
    reserved: share,
    released: 0n,
    vested: 0n,
    reversed: 0n,
    vestedSeq: null,
  };
}

/** Reports a sale that the contract should have refused: wrong state, before the start, or over capacity. */
function checkSaleAllowed(step: FoldStep<'SaleRecorded'>): void {
  const { state, fact } = step;
  const { saleId } = fact.args;
  const policy = policyAt(state.policies, fact.timestamp);
  const times = { endsAt: state.campaign?.endsAt ?? 0, policyExpiry: policy?.expiry ?? 0 };
  const now = campaignState(state.snapshot, times, fact.timestamp);
  if (now !== 'FUNDED_ACTIVE') report(step, 'CAMPAIGN_STATE', 'FUNDED_ACTIVE', now, { saleId });
  const startsAt = state.campaign?.startsAt ?? 0;
  if (fact.timestamp < startsAt) {
    report(step, 'CAMPAIGN_STATE', `from ${startsAt}`, fact.timestamp, { saleId });
  }
  const sales = recordedSales(state.snapshot.counts) + 1;
  if (sales > state.snapshot.saleCapacity) {
    report(step, 'CAPACITY', `at most ${state.snapshot.saleCapacity} sales`, sales, { saleId });
  }
}

/** Computes the fields that the chain should have recorded for the sale, and reports each that differs. */
function predict(step: FoldStep<'SaleRecorded'>, path: readonly Node[]): void {
  const { state, fact } = step;
  const { args } = fact;
  const about = { saleId: args.saleId };
  if (args.nodeId !== '0' && path.length === 0) {
    report(step, 'UNKNOWN_NODE', 'a node of this campaign', args.nodeId, about);
  }
  const policy = policyAt(state.policies, fact.timestamp);
  if (policy === undefined) {
    report(step, 'POLICY_VERSION', 'none in effect', args.policyVersion, about);
    return;
  }
  if (policy.version !== args.policyVersion) {
    report(step, 'POLICY_VERSION', policy.version, args.policyVersion, about);
  }
  const holdUntil = fact.timestamp + policy.holdSeconds;
  if (holdUntil !== args.holdUntil) report(step, 'HOLD_UNTIL', holdUntil, args.holdUntil, about);

  const input = splitInputOf(state, policy, path, args.amount);
  const expected = splitReward(input);
  if (expected.pool !== args.pool) report(step, 'POOL', expected.pool, args.pool, about);
  if (expected.shares.length !== args.shares.length) {
    report(step, 'LEVEL_COUNT', expected.shares.length, args.shares.length, about);
  }
  for (const share of expected.shares) {
    const actual = args.shares[share.level - 1] ?? 0n;
    if (actual !== share.amount) {
      report(step, 'SHARE', share.amount, actual, { ...about, level: share.level });
    }
  }
  if (policy.excludesSelfReferral) {
    const rewarded = path.slice(0, expected.shares.length);
    const [own] = selfReferralOf({ buyer: args.buyer, path: rewarded });
    if (own !== undefined) {
      report(step, 'SELF_REFERRAL', 'no node of the buyer', `node ${own}`, {
        ...about,
        account: args.buyer,
      });
    }
  }
  // A pool that no cap reduced lost nothing.
  const lost = expected.pool === expected.gross ? [] : missedShares(input);
  for (const missed of lost) {
    const recipient = path[missed.level - 1]?.owner ?? UNKNOWN_ACCOUNT;
    step.missed.push({ saleId: args.saleId, ...missed, recipient });
  }
}
