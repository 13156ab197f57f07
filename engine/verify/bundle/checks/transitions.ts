import { countOf } from '../../../core/count-of.ts';
import { missingOf } from '../../chain/answer.ts';
import { differences, sameText } from '../../compare.ts';
import { conclude } from '../../conclude.ts';
import { historyProblems } from '../../history/index.ts';
import type { ProvenSale } from '../evidence.ts';
import { eventOf } from '../logs.ts';

/** Checks that the sale's proven events follow one another as the protocol allows (docs/reference/protocol.md#events). */
export function checkBundleTransitions(
  { subject: { facts, path }, claims }: ProvenSale,
  served: { readonly transitions?: unknown; readonly claims?: unknown },
) {
  const { record, events, finalizedAt, reversedAt } = facts;
  const nodes = path.ok && path.value.problems.length === 0 ? path.value.nodes : undefined;
  const missing = missingOf(finalizedAt, reversedAt);
  if (nodes === undefined && events.some((log) => 'level' in log.args)) {
    missing.push('Without the path it is not known whose the rewards are.');
  }
  const fields = events.map(eventOf).map((event) => ({ ...event }));
  const paid = claims.map(eventOf).map((event) => ({ ...event }));
  return conclude('transitions', {
    pass: `The bundle proves ${countOf(events.length, 'event')} of the sale and ${countOf(claims.length, 'claim')} after it, each as the protocol allows it; that there is no later one no bundle can prove.`,
    problems: historyProblems({
      record,
      events,
      path: nodes,
      claims,
      finalizedAt: finalizedAt.ok ? finalizedAt.value : undefined,
      reversedAt: reversedAt.ok ? reversedAt.value : undefined,
    }),
    differences: [
      ...differences('transitions', fields, served.transitions, sameText),
      ...differences('claims', paid, served.claims, sameText),
    ],
    missing,
    evidence: { events: fields, claims: paid },
  });
}
