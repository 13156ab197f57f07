import type { SaleState } from '../core/fold/index.ts';
import type {
  ReceiptFigures,
  ReceiptPolicy,
  ReceiptShare,
  ReceiptTransition,
} from '../core/receipt.ts';
import { BPS_WHOLE } from '../core/split.ts';
import { type ChainLog, logsOf } from './chain/decode.ts';
import type { Standing } from './standing.ts';
import type { Subject } from './subject.ts';
import type { ChainFigures } from './types.ts';

/** Unix seconds as ISO 8601. */
export function isoTime(seconds: number): string {
  return new Date(seconds * 1_000).toISOString();
}

/** The fields that say which sale it is, by its log. */
export function saleFigures({ chainId, contractAddress, facts }: Subject) {
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

export function policyFigures({ args }: ChainLog<'PolicyScheduled'>): ReceiptPolicy {
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

/** The split by the sale's log; what the log leaves out only where it is known. */
export function splitFigures({ facts, policy, path }: Subject, standing: Standing | undefined) {
  const { amount, pool, shares } = facts.record.args;
  const reserved = shares.reduce((total, share) => total + share, 0n);
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const nodes = path.ok ? path.value.nodes : [];
  return {
    ...(scheduled && {
      gross: ((amount * BigInt(scheduled.args.policy.commissionBps)) / BPS_WHOLE).toString(),
    }),
    pool: pool.toString(),
    reserved: reserved.toString(),
    returned: (pool - reserved).toString(),
    ...(standing && {
      liabilityBefore: standing.liability.toString(),
      availableBefore: standing.available.toString(),
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

export function transitionFigures(events: readonly ChainLog[]): ReceiptTransition[] {
  return events.map(({ place, name, json }) => ({ ...place, name, args: json }));
}

/** Where the sale stands by its events alone. */
export function stateFigures({ record, events }: Subject['facts']) {
  const refundedTotal = logsOf(events, 'SaleRefunded').at(-1)?.args.refundedTotal ?? 0n;
  return {
    holdUntil: isoTime(record.args.holdUntil),
    state: stateOf(events, refundedTotal >= record.args.amount),
    refundedTotal: refundedTotal.toString(),
  };
}

function stateOf(events: readonly ChainLog[], refunded: boolean): SaleState {
  if (logsOf(events, 'SaleReversed').length > 0) return 'reversed';
  if (logsOf(events, 'SaleFinalized').length > 0) return 'finalized';
  return refunded ? 'refunded' : 'pending';
}

/** The receipt as the chain alone gives it, without the parts that could not be read. */
export function figuresOf(subject: Subject, standing: Standing | undefined): ChainFigures {
  const { facts, policy, path } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const created = facts.created.ok ? facts.created.value : undefined;
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const split = splitFigures(subject, standing);
  return {
    ...saleFigures(subject),
    ...(created && { termsHash: created.args.termsHash }),
    record: facts.record.place,
    ...(scheduled && { policy: policyFigures(scheduled) }),
    ...(nodes && { path: nodes }),
    ...(isWhole(split) && { split }),
    ...stateFigures(facts),
    transitions: transitionFigures(facts.events),
  };
}

function isWhole(
  split: ReturnType<typeof splitFigures>,
): split is ReceiptFigures['split'] & typeof split {
  if (split.gross === undefined || split.liabilityBefore === undefined) return false;
  return split.shares.every(({ recipient }) => recipient !== undefined);
}
