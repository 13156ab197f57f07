import { missingOf } from '../chain/answer.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import { levelFields } from '../outcome.ts';
import type { Subject } from '../subject.ts';
import type { Check, Evidence } from '../types.ts';

/**
 * Checks the state of each level's reward: what was released, vested and reversed by the sale's events, and
 * whether its recipient has claimed since (docs/reference/protocol.md#state).
 */
export function checkRewards(subject: Subject, found: FoundFields): Check<'rewards'> {
  const levels = levelFields(subject);
  const { claims } = subject.facts;
  const missing = missingOf(subject.path, ...(levels.some(isOpen) ? [claims] : []));
  const states = levels.map(({ level, state }) => `level ${level} is ${state}`).join(', ');
  return conclude('rewards', {
    pass:
      levels.length === 0
        ? 'The sale has no rewards.'
        : `By the events of the sale and the claims after them, ${states}.`,
    ...found,
    missing,
    evidence: { levels: levels.map(knownOf) },
  });
}

function isOpen({ state }: { readonly state: string | undefined }): boolean {
  return state === undefined;
}

/** Evidence without what could not be read. */
function knownOf(fields: object): Evidence {
  return JSON.parse(JSON.stringify(fields));
}
