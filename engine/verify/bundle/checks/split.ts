import { missingOf } from '../../chain/answer.ts';
import { splitProblems } from '../../checks/split.ts';
import { differences } from '../../compare.ts';
import { conclude, count } from '../../conclude.ts';
import type { ProvenSale } from '../evidence.ts';
import { bundleSplit, recomputeSplit } from '../split.ts';

/**
 * The split recomputes to the same units from amount, policy and path; where a cap on the campaign's
 * ledger made the pool less than they allow, from that pool, which is the contract's word.
 */
export function checkBundleSplit({ subject }: ProvenSale, served: unknown) {
  const { facts, policy, path } = subject;
  const { amount, pool } = facts.record.args;
  const figures = bundleSplit(subject);
  const recomputed = recomputeSplit(subject);
  const missing = missingOf(policy, path);
  if (missing.length === 0 && recomputed === undefined) {
    missing.push(
      'Without the whole path and a policy that can be, the split cannot be recomputed.',
    );
  }
  const basis =
    figures?.poolBoundBy === 'ledger'
      ? 'as the contract reported what the campaign’s ledger had left, and policy and path give the rest'
      : 'as amount, policy and path give it';
  return conclude('split', {
    pass: `Of ${amount} base units ${pool} were the reward and ${figures?.reserved} were reserved for ${count(figures?.shares.length ?? 0, 'level')}, ${basis}.`,
    problems: recomputed ? splitProblems(subject, recomputed) : [],
    differences: figures
      ? differences(
          'split',
          { ...figures, shares: figures.shares.map((share) => ({ ...share })) },
          served,
        )
      : [],
    missing,
    evidence: figures ? { ...figures, shares: figures.shares.map((share) => ({ ...share })) } : {},
  });
}
