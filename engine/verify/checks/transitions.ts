import { countOf } from '../../core/count-of.ts';
import { missingOf } from '../chain/answer.ts';
import { type DecodedLog, logsOf } from '../chain/decode.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { historyProblems } from '../history/index.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that the served transitions are the sale's events, and that the protocol allows each of them
 * (`historyProblems`).
 */
export function checkTransitions(subject: Subject, found: FoundFields): Check {
  const { facts, path } = subject;
  const { events, finalizedAt, reversedAt, claims } = facts;
  const times = { finalizedAt: known(finalizedAt), reversedAt: known(reversedAt) };
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const missing = missingOf(finalizedAt, reversedAt, claims);
  if (nodes === undefined && events.some((log) => 'level' in log.args)) {
    missing.push('Without the path it is not known whose the rewards are.');
  }
  return conclude('transitions', {
    pass: `The sale has ${countOf(events.length, 'event')} (${summary(events)}), each as the protocol allows it.`,
    problems: historyProblems({
      record: facts.record,
      events,
      path: nodes,
      claims: claims.ok ? claims.value : undefined,
      ...times,
    }),
    ...found,
    missing,
    evidence: { events: events.map(({ name, location }) => ({ name, ...location })) },
  });
}

function known<T>(answer: { ok: true; value: T } | { ok: false }): T | undefined {
  return answer.ok ? answer.value : undefined;
}

function summary(events: readonly DecodedLog[]): string {
  const names = [...new Set(events.map(({ name }) => name))];
  return names
    .map((name) => {
      const times = logsOf(events, name).length;
      return times === 1 ? name : `${times} × ${name}`;
    })
    .join(', ');
}
