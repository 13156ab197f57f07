import { countOf } from '../../core/count-of.ts';
import { type Split, splitReward } from '../../core/split.ts';
import { type ChainAnswer, missingOf } from '../chain/answer.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { splitFields } from '../receipt-fields.ts';
import type { RewardBudget } from '../reward-budget.ts';
import type { Subject } from '../subject.ts';
import type { Check, Evidence } from '../types.ts';
import { isWeighted } from '../weights.ts';

/**
 * Checks that the split is the same to the unit if it is computed again from the sale's amount, policy
 * and path and the campaign's ledger just before (docs/reference/protocol.md#sales-and-their-split). If the RPC has no
 * old states, that is impossible and the check does not pass; a receipt that contradicts the log fails it.
 */
export function checkSplit(
  subject: Subject,
  budget: ChainAnswer<RewardBudget>,
  found: FoundFields,
): Check {
  const { facts, path } = subject;
  const { amount, pool } = facts.record.args;
  const known = budget.ok ? budget.value : undefined;
  const fields = splitFields(subject, known);
  const recomputed = known && recompute(subject, known);
  const missing = missingOf(budget, path);
  if (missing.length === 0 && recomputed === undefined) {
    missing.push(
      'Without the whole path and a weight of each level the split cannot be recomputed.',
    );
  }
  return conclude('split', {
    pass: `Of ${amount} base units, ${pool} base units were the reward and ${fields.reserved} base units were reserved for ${countOf(fields.shares.length, 'level')}, as policy, path and the ledger before the sale give it.`,
    problems: recomputed ? splitProblems(subject, recomputed) : [],
    ...found,
    missing,
    evidence: { ...jsonOf(fields), ...(recomputed && { recomputed: evidenceOf(recomputed) }) },
  });
}

function recompute({ facts, policy, path }: Subject, budget: RewardBudget): Split | undefined {
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  if (scheduled === undefined || !path.ok || path.value.problems.length > 0) return undefined;
  if (!isWeighted(scheduled.args.policy)) return undefined;
  return splitReward({
    amount: facts.record.args.amount,
    ...budget,
    path: path.value.nodes.map(({ nodeId }) => nodeId),
    policy: scheduled.args.policy,
  });
}

/** Differences between the recorded pool and shares and a computed split, as sentences. */
export function splitProblems({ facts }: Pick<Subject, 'facts'>, split: Split): string[] {
  const { pool, shares } = facts.record.args;
  const problems: string[] = [];
  if (split.pool !== pool) {
    problems.push(
      `The chain recorded a pool of ${pool} base units; it recomputes to ${split.pool}.`,
    );
  }
  if (split.shares.length !== shares.length) {
    problems.push(
      `The chain recorded ${countOf(shares.length, 'level')}; it recomputes to ${split.shares.length}.`,
    );
  }
  for (const { level, amount } of split.shares) {
    const recorded = shares[level - 1];
    if (recorded === undefined || recorded === amount) continue;
    problems.push(
      `The chain recorded ${recorded} base units for level ${level}; it recomputes to ${amount}.`,
    );
  }
  return problems;
}

/** Evidence without what could not be read. */
function jsonOf(fields: object): Evidence {
  return JSON.parse(JSON.stringify(fields));
}

function evidenceOf({ gross, pool, reserved, returned, shares }: Split): Evidence {
  return {
    gross: gross.toString(),
    pool: pool.toString(),
    reserved: reserved.toString(),
    returned: returned.toString(),
    shares: shares.map(({ amount }) => amount.toString()),
  };
}
