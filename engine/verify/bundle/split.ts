import { type Split, splitReward } from '../../core/split.ts';
import { splitFields } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import { isWeighted } from '../weights.ts';
import type { BundleSplit } from './types.ts';

/**
 * Computes the split from amount, policy and path. If the recorded pool is less than they allow, it is
 * used instead: the remaining budget is not in the logs of a sale
 * (docs/reference/bundle.md#what-it-shows-and-what-it-cannot). Returns `undefined` if policy or path are unknown, or
 * the policy is impossible.
 */
export function recomputeSplit({ facts, policy, path }: Subject): Split | undefined {
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  if (scheduled === undefined || !path.ok || path.value.problems.length > 0) return undefined;
  const { amount, pool } = facts.record.args;
  if (!isWeighted(scheduled.args.policy)) return undefined;
  return splitReward({
    amount,
    liability: 0n,
    available: pool,
    path: path.value.nodes.map(({ nodeId }) => nodeId),
    policy: scheduled.args.policy,
  });
}

/** The split that the sale's log recorded; `undefined` if policy or path are unknown. */
export function bundleSplit(subject: Subject): BundleSplit | undefined {
  const { policy, path, facts } = subject;
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  const nodes = path.ok ? path.value.nodes : [];
  const { gross, pool, reserved, returned } = splitFields(subject, undefined);
  const { shares } = facts.record.args;
  if (scheduled === undefined || gross === undefined || nodes.length !== shares.length) {
    return undefined;
  }
  const { perSaleCap, campaignLiabilityCap } = scheduled.args.policy;
  const most = [BigInt(gross), perSaleCap, campaignLiabilityCap].reduce((a, b) => (b < a ? b : a));
  // A sale without a link has no rewards, whatever the budget is.
  const isLess = nodes.length > 0 && facts.record.args.pool < most;
  return {
    gross,
    pool,
    poolBoundBy: isLess ? 'ledger' : 'policy',
    reserved,
    returned,
    shares: nodes.map(({ nodeId, owner }, i) => ({
      level: i + 1,
      nodeId,
      recipient: owner,
      amount: (shares[i] ?? 0n).toString(),
    })),
  };
}
