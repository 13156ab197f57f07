import { type Split, splitReward } from '../../core/split.ts';
import { type Answer, missingOf } from '../chain/answer.ts';
import { differences } from '../compare.ts';
import { conclude, count } from '../conclude.ts';
import { splitFigures } from '../figures.ts';
import type { Standing } from '../standing.ts';
import type { Subject } from '../subject.ts';
import type { Check, Evidence } from '../types.ts';

/**
 * The split recomputes to the same units (design §4): from the sale's amount, its policy and path,
 * and the campaign's ledger just before. Where the RPC keeps no old states it cannot be recomputed,
 * and the check does not pass; figures that contradict the log fail all the same.
 */
export function checkSplit(subject: Subject, standing: Answer<Standing>): Check {
  const { facts, path, served } = subject;
  const { amount, pool } = facts.record.args;
  const known = standing.ok ? standing.value : undefined;
  const figures = splitFigures(subject, known);
  const recomputed = known && recompute(subject, known);
  const missing = missingOf(standing, path);
  if (missing.length === 0 && recomputed === undefined) {
    missing.push('Without the whole path the split cannot be recomputed.');
  }
  return conclude('split', {
    pass: `Of ${amount} base units ${pool} were the reward and ${figures.reserved} were reserved for ${count(figures.shares.length, 'level')}, as policy, path and the ledger before the sale give it.`,
    problems: recomputed ? splitProblems(subject, recomputed) : [],
    differences: served ? differences('split', figures, served.split) : [],
    missing,
    evidence: { ...figures, ...(recomputed && { recomputed: evidenceOf(recomputed) }) },
  });
}

function recompute({ facts, policy, path }: Subject, standing: Standing): Split | undefined {
  const scheduled = policy.ok ? policy.value.scheduled : undefined;
  if (scheduled === undefined || !path.ok || path.value.problems.length > 0) return undefined;
  return splitReward({
    amount: facts.record.args.amount,
    ...standing,
    path: path.value.nodes.map(({ nodeId }) => nodeId),
    policy: scheduled.args.policy,
  });
}

/** Where the recorded pool and shares differ from a split. */
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
      `The chain recorded ${shares.length} levels; ${split.shares.length} are to be rewarded.`,
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

function evidenceOf({ gross, pool, reserved, returned, shares }: Split): Evidence {
  return {
    gross: gross.toString(),
    pool: pool.toString(),
    reserved: reserved.toString(),
    returned: returned.toString(),
    shares: shares.map(({ amount }) => amount.toString()),
  };
}
