import { type ChainAnswer, missingOf } from '../chain/answer.ts';
import type { ContractSale } from '../chain/views.ts';
import { differences, type FieldDifference } from '../compare.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { isoTime, saleFields, stateFields } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** The contract's SaleStatus, in the order of its enum (IReferralCommerce). */
const statuses = ['pending', 'refunded', 'finalized', 'reversed'] as const;

/**
 * Checks that state, refunded total and hold follow from the sale's events, equal the receipt, and equal
 * the contract's own state at the head. If the contract does not answer, the events decide alone.
 */
export function checkState(subject: Subject, found: FoundFields): Check<'state'> {
  const { facts, policy, soldAt } = subject;
  const fields = stateFields(facts);
  const { holdUntil } = facts.record.args;
  const holdSeconds = policy.ok ? policy.value.scheduled?.args.policy.holdSeconds : undefined;
  const problems: string[] = [];
  if (soldAt.ok && holdSeconds !== undefined && soldAt.value + holdSeconds !== holdUntil) {
    problems.push(
      `The hold ends at ${fields.holdUntil}, not ${holdSeconds} s after the sale at ${isoTime(soldAt.value)}.`,
    );
  }
  const missing = missingOf(soldAt, policy);
  if (policy.ok && holdSeconds === undefined) {
    missing.push('Without the policy the length of the hold is unknown.');
  }
  const contradictions = facts.view.ok ? viewProblems(subject, facts.view.value) : [];
  problems.push(...contradictions);
  return conclude('state', {
    pass: `The sale is ${fields.state}, ${fields.refundedTotal} base units of ${facts.record.args.amount} base units were refunded, and its hold ends at ${fields.holdUntil}.`,
    problems,
    ...found,
    missing,
    evidence: {
      ...fields,
      contractView: contractViewOf(facts.view, contradictions),
    },
  });
}

function contractViewOf(
  view: ChainAnswer<ContractSale>,
  contradictions: readonly string[],
): string {
  if (!view.ok) return view.reason;
  return contradictions.length === 0 ? 'agrees' : 'contradicts';
}

/** Contradictions between the contract's own state of the sale and its events, as sentences. */
function viewProblems(subject: Subject, view: ContractSale): string[] {
  const { args } = subject.facts.record;
  const { campaignId, buyer, amount } = saleFields(subject);
  const { state, refundedTotal } = stateFields(subject.facts);
  const finalizedAt = subject.facts.finalizedAt.ok ? subject.facts.finalizedAt.value : null;
  const byEvents = {
    campaignId,
    buyer,
    nodeId: args.nodeId,
    amount,
    refundedTotal,
    shares: args.shares.map(String),
    policyVersion: args.policyVersion,
    holdUntil: args.holdUntil,
    ...(finalizedAt !== null && { finalizedAt }),
    state,
  };
  const byView = {
    campaignId: view.campaignId.toString(),
    buyer: view.buyer,
    nodeId: view.nodeId.toString(),
    amount: view.amount.toString(),
    refundedTotal: view.refundedTotal.toString(),
    shares: view.shares.map(String),
    policyVersion: view.policyVersion,
    holdUntil: Number(view.holdUntil),
    ...(finalizedAt !== null && { finalizedAt: Number(view.finalizedAt) }),
    state: statuses[view.status],
  };
  return differences('', byEvents, byView).map(contradiction);
}

function contradiction({ field, chain, served }: FieldDifference): string {
  return `By its events the sale has ${field} ${chain}, but the contract answers ${served}.`;
}
