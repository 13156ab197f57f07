import { sum } from '../core/amounts.ts';
import type { SaleState } from '../core/fold/index.ts';
import type {
  ReceiptFields,
  ReceiptPolicy,
  ReceiptShare,
  ReceiptTransition,
} from '../core/receipt.ts';
import { BPS_WHOLE } from '../core/split.ts';
import { type DecodedLog, logsOf } from './chain/decode.ts';
import type { RewardBudget } from './reward-budget.ts';
import type { Subject } from './subject.ts';
import type { ChainFields } from './types.ts';

/** Formats Unix seconds as ISO 8601. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The fields of a receipt that come from its SaleRecorded. */
export function saleFields({ chainId, contractAddress, facts }: Subject) {
  const { args, campaignId } = facts.record;
  return {
    chainId,
    contractAddress,
    saleId: args.saleId,
    campaignId,
    buyer: args.buyer,
    nodeId: args.nodeId === '0' ? null : args.nodeId,
    amount: args.amount.toString(),
    skuHash: args.skuHash,
    orderKey: args.orderKey,
  };
}

/** The policy of a receipt, from its PolicyScheduled. */
export function policyFields({ args }: DecodedLog<'PolicyScheduled'>): ReceiptPolicy {
  const { policy } = args;
  return {
    ...policy,
    version: args.version,
    effectiveAt: isoTime(args.effectiveAt),
    perSaleCap: policy.perSaleCap.toString(),
    campaignLiabilityCap: policy.campaignLiabilityCap.toString(),
    expiry: isoTime(policy.expiry),
    eligibilityHash: args.eligibilityHash,
    policyHash: args.policyHash,
  };
}

/** The split of a receipt, from the sale's log; fields that need policy, path or budget only if known. */
export function splitFields({ facts, policy, path }: Subject, budget: RewardBudget | undefined) {
  const { amount, pool, shares } = facts.record.args;
  const reserved = sum(shares);
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const nodes = path.ok ? path.value.nodes : [];
  return {
    ...(scheduled && {
      gross: ((amount * BigInt(scheduled.args.policy.commissionBps)) / BPS_WHOLE).toString(),
    }),
    pool: pool.toString(),
    reserved: reserved.toString(),
    returned: (pool - reserved).toString(),
    ...(budget && {
      liabilityBefore: budget.liability.toString(),
      availableBefore: budget.available.toString(),
    }),
    shares: shares.map((share, i): Partial<ReceiptShare> => {
      const node = nodes[i];
      return {
        level: i + 1,
        ...(node && { nodeId: node.nodeId, recipient: node.owner }),
        amount: share.toString(),
      };
    }),
  };
}

/** The transitions of a receipt, from the sale's events. */
export function transitionFields(events: readonly DecodedLog[]): ReceiptTransition[] {
  return events.map(({ location, name, json }) => ({ ...location, name, args: json }));
}

/** State, refunded total and hold of a sale, from its events alone. */
export function stateFields({ record, events }: Subject['facts']) {
  const refundedTotal = logsOf(events, 'SaleRefunded').at(-1)?.args.refundedTotal ?? 0n;
  return {
    holdUntil: isoTime(record.args.holdUntil),
    state: stateOf(events, refundedTotal >= record.args.amount),
    refundedTotal: refundedTotal.toString(),
  };
}

function stateOf(events: readonly DecodedLog[], refunded: boolean): SaleState {
  if (logsOf(events, 'SaleReversed').length > 0) return 'reversed';
  if (logsOf(events, 'SaleFinalized').length > 0) return 'finalized';
  return refunded ? 'refunded' : 'pending';
}

/** The receipt computed from the chain alone, without the parts that could not be read. */
export function receiptFields(subject: Subject, budget: RewardBudget | undefined): ChainFields {
  const { facts, policy, path } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const created = facts.created.ok ? facts.created.value : undefined;
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const split = splitFields(subject, budget);
  return {
    ...saleFields(subject),
    ...(created && { termsHash: created.args.termsHash }),
    record: facts.record.location,
    ...(scheduled && { policy: policyFields(scheduled) }),
    ...(nodes && { path: nodes }),
    ...(isWhole(split) && { split }),
    ...stateFields(facts),
    transitions: transitionFields(facts.events),
  };
}

function isWhole(
  split: ReturnType<typeof splitFields>,
): split is ReceiptFields['split'] & typeof split {
  if (split.gross === undefined || split.liabilityBefore === undefined) return false;
  return split.shares.every(({ recipient }) => recipient !== undefined);
}
