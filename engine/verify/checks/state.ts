import { type Answer, missingOf } from '../chain/answer.ts';
import type { SaleView } from '../chain/views.ts';
import { type Difference, differences } from '../compare.ts';
import { conclude } from '../conclude.ts';
import { isoTime, saleFigures, stateFigures } from '../figures.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** The contract's SaleStatus by its ordinals (IReferralCommerce). */
const statuses = ['pending', 'refunded', 'finalized', 'reversed'] as const;

/**
 * State, refunded total and hold follow from the sale's events, are what is served, and are what
 * the contract itself answers at the head. Where it does not answer, the events decide alone.
 */
export function checkState(subject: Subject): Check<'state'> {
  const { facts, policy, soldAt, served } = subject;
  const figures = stateFigures(facts);
  const { holdUntil } = facts.record.args;
  const holdSeconds = policy.ok ? policy.value.scheduled?.args.policy.holdSeconds : undefined;
  const problems: string[] = [];
  if (soldAt.ok && holdSeconds !== undefined && soldAt.value + holdSeconds !== holdUntil) {
    problems.push(
      `The hold ends at ${figures.holdUntil}, not ${holdSeconds} s after the sale at ${isoTime(soldAt.value)}.`,
    );
  }
  const missing = missingOf(soldAt, policy);
  if (policy.ok && holdSeconds === undefined) {
    missing.push('Without the policy nobody knows how long the hold is.');
  }
  const contradictions = facts.view.ok ? viewProblems(subject, facts.view.value) : [];
  problems.push(...contradictions);
  return conclude('state', {
    pass: `The sale is ${figures.state}, ${figures.refundedTotal} of ${facts.record.args.amount} base units were refunded, and its hold ends at ${figures.holdUntil}.`,
    problems,
    differences: served ? differences('', figures, served) : [],
    missing,
    evidence: {
      ...figures,
      contractView: viewSays(facts.view, contradictions),
    },
  });
}

function viewSays(view: Answer<SaleView>, contradictions: readonly string[]): string {
  if (!view.ok) return view.reason;
  return contradictions.length === 0 ? 'agrees' : 'contradicts';
}

/** Where the contract's own view of the sale contradicts its events. */
function viewProblems(subject: Subject, view: SaleView): string[] {
  const { args } = subject.facts.record;
  const { campaignId, buyer, amount } = saleFigures(subject);
  const { state, refundedTotal } = stateFigures(subject.facts);
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
    ...view,
    campaignId: view.campaignId.toString(),
    nodeId: view.nodeId.toString(),
    amount: view.amount.toString(),
    refundedTotal: view.refundedTotal.toString(),
    shares: view.shares.map(String),
    holdUntil: Number(view.holdUntil),
    finalizedAt: Number(view.finalizedAt),
    state: statuses[view.status],
  };
  return differences('', byEvents, byView).map(contradiction);
}

function contradiction({ field, chain, served }: Difference): string {
  return `By its events the sale has ${field} ${chain}, but the contract answers ${served}.`;
}
