import { missingOf } from '../chain/answer.ts';
import { type DecodedLog, logsOf } from '../chain/decode.ts';
import { differences, type FieldDifference, fieldsOf } from '../compare.ts';
import { conclude, count } from '../conclude.ts';
import { historyProblems } from '../history/index.ts';
import { transitionFields } from '../receipt-fields.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/**
 * Checks that the served transitions are the sale's events, and that the protocol allows each of them
 * (`historyProblems`).
 */
export function checkTransitions(subject: Subject): Check {
  const { facts, path, served } = subject;
  const { events, finalizedAt, reversedAt, claims } = facts;
  const times = { finalizedAt: known(finalizedAt), reversedAt: known(reversedAt) };
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const missing = missingOf(finalizedAt, reversedAt, claims);
  if (nodes === undefined && events.some((log) => 'level' in log.args)) {
    missing.push('Without the path it is not known whose the rewards are.');
  }
  return conclude('transitions', {
    pass: `The sale has ${count(events.length, 'event')} (${summary(events)}), each as the protocol allows it.`,
    problems: historyProblems({
      record: facts.record,
      events,
      path: nodes,
      claims: claims.ok ? claims.value : undefined,
      ...times,
    }),
    differences: served ? transitionDifferences(events, served.transitions) : [],
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

function transitionDifferences(events: readonly DecodedLog[], served: unknown): FieldDifference[] {
  const list: readonly unknown[] = Array.isArray(served) ? served : [];
  if (list.length !== events.length) {
    const names = list.map((entry) => String(fieldsOf(entry)?.name));
    return [
      {
        field: 'transitions',
        chain: `${events.length} (${events.map(({ name }) => name).join(', ')})`,
        served: `${list.length} (${names.slice(0, events.length + 3).join(', ')})`,
      },
    ];
  }
  return transitionFields(events).flatMap(({ args, ...fields }, i) => {
    const field = `transitions[${i}]`;
    const servedArgs = fieldsOf(fieldsOf(list[i])?.args) ?? {};
    // An event has exactly these arguments; the receipt may include its campaign.
    const chainArgs = { campaignId: events[i]?.campaignId ?? '', ...events[i]?.json };
    const added = Object.keys(servedArgs).filter((name) => !Object.hasOwn(chainArgs, name));
    return [
      ...differences(field, fields, list[i]),
      ...differences(`${field}.args`, { ...events[i]?.json }, servedArgs),
      ...('campaignId' in servedArgs
        ? differences(`${field}.args.campaignId`, chainArgs.campaignId, servedArgs.campaignId)
        : []),
      ...added.map((name) => ({
        field: `${field}.args.${name}`,
        chain: 'nothing',
        served: String(servedArgs[name]).slice(0, 200),
      })),
    ];
  });
}
