import { countOf } from '../../../core/count-of.ts';
import { missingOf } from '../../chain/answer.ts';
import { splitProblems } from '../../checks/split.ts';
import { differences } from '../../compare.ts';
import { conclude } from '../../conclude.ts';
import type { ProvenSale } from '../evidence.ts';
import { bundleSplit, recomputeSplit } from '../split.ts';

/**
 * Checks that the split, computed again from amount, policy and path, is the same to the unit. If a cap
 * on the campaign's ledger reduced the pool, the split is computed from the pool that the contract reported.
 */
export function checkBundleSplit({ subject }: ProvenSale, served: unknown) {
  const { facts, policy, path } = subject;
  const { amount, pool } = facts.record.args;
  const fields = bundleSplit(subject);
  const recomputed = recomputeSplit(subject);
  const missing = missingOf(policy, path);
  if (missing.length === 0 && recomputed === undefined) {
    missing.push(
      'Without the whole path and a policy that can be, the split cannot be recomputed.',
    );
  }
  const basis =
    fields?.poolBoundBy === 'ledger'
      ? 'as the contract reported what the campaign’s ledger had left, and policy and path give the rest'
      : 'as amount, policy and path give it';
  return conclude('split', {
    pass: `Of ${amount} base units, ${pool} base units were the reward and ${fields?.reserved} base units were reserved for ${countOf(fields?.shares.length ?? 0, 'level')}, ${basis}.`,
    problems: recomputed ? splitProblems(subject, recomputed) : [],
    differences: fields
      ? differences(
          'split',
          { ...fields, shares: fields.shares.map((share) => ({ ...share })) },
          served,
        )
      : [],
    missing,
    evidence: fields ? { ...fields, shares: fields.shares.map((share) => ({ ...share })) } : {},
  });
}
