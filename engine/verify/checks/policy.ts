import type { DecodedLog } from '../chain/decode.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { type PolicyHashes, policyHashesOf } from '../policy-hash.ts';
import { isoTime } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that the policy of the sale's version hashes to the value that the chain registered, and was the
 * highest version in effect at the sale's block (docs/reference/protocol.md#policy).
 */
export function checkPolicy(
  { facts, policy, soldAt }: Subject,
  found: FoundFields,
): Check<'policy'> {
  const { policyVersion } = facts.record.args;
  const pass = `Policy version ${policyVersion} was in effect at the sale and hashes to what the chain registered.`;
  if (!policy.ok) return conclude('policy', { pass, missing: [policy.reason] });
  const { scheduled, versionInEffect } = policy.value;
  if (scheduled === undefined) {
    const problem = `The sale names policy version ${policyVersion}, which the chain has not scheduled before it.`;
    return conclude('policy', { pass, problems: [problem] });
  }
  const hashes = recompute(scheduled);
  const problems = hashProblems(scheduled, hashes);
  if (versionInEffect !== policyVersion) {
    problems.push(
      `The sale used policy version ${policyVersion}, but ${versionInEffect ?? 'none'} was in effect.`,
    );
  }
  const { expiry } = scheduled.args.policy;
  if (soldAt.ok && soldAt.value >= expiry) {
    problems.push(`The policy expired at ${isoTime(expiry)}, before the sale.`);
  }
  const { eligibilityHash, policyHash } = scheduled.args;
  return conclude('policy', {
    pass,
    problems,
    ...found,
    evidence: {
      version: policyVersion,
      versionInEffect: versionInEffect ?? null,
      soldAt: soldAt.ok ? isoTime(soldAt.value) : null,
      registered: { eligibilityHash, policyHash },
      computed: hashes === undefined ? null : { ...hashes },
    },
  });
}

function recompute({ data }: DecodedLog<'PolicyScheduled'>): PolicyHashes | undefined {
  try {
    return policyHashesOf(data);
  } catch {
    return undefined;
  }
}

function hashProblems(
  { args }: DecodedLog<'PolicyScheduled'>,
  hashes: PolicyHashes | undefined,
): string[] {
  if (hashes === undefined) return ['The policy’s log cannot be decoded, so it has no hash.'];
  return (['eligibilityHash', 'policyHash'] as const).flatMap((name) =>
    hashes[name] === args[name].toLowerCase()
      ? []
      : [`The policy’s ${name} is ${hashes[name]}, but ${args[name]} is registered.`],
  );
}
