import { countOf } from '../../core/count-of.ts';
import { selfReferralOf } from '../../core/self-referral.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks the path, from the selling node up to the last rewarded level, against the NodeJoined logs, and that the
 * buyer owns none of these nodes if the policy excludes that.
 */
export function checkPath(subject: Subject, found: FoundFields): Check<'path'> {
  const { path } = subject;
  if (!path.ok) return conclude('path', { pass: '', missing: [path.reason] });
  const problems = [...path.value.problems, ...selfReferralProblems(subject)];
  const nodes = path.value.nodes.map((node) => ({ ...node }));
  const ids = nodes.map(({ nodeId }) => nodeId).join(' ← ');
  return conclude('path', {
    pass:
      nodes.length === 0
        ? 'The sale was direct: it has no path.'
        : `The path of ${countOf(nodes.length, 'rewarded level')}, ${ids}, is what the chain’s joins give.`,
    problems,
    ...found,
    evidence: { path: nodes },
  });
}

function selfReferralProblems({ facts, policy, path }: Subject): string[] {
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  if (!scheduled?.args.policy.excludesSelfReferral || !path.ok) return [];
  const { buyer } = facts.record.args;
  return selfReferralOf({ buyer, path: path.value.nodes }).map(
    (nodeId) =>
      `The buyer owns node ${nodeId}, which the sale rewards, and the policy excludes that.`,
  );
}
