import { countOf } from '../../core/count-of.ts';
import { conclude, type FoundFields } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** Checks the path, from the selling node up to the last rewarded level, against the NodeJoined logs. */
export function checkPath({ path }: Subject, found: FoundFields): Check<'path'> {
  if (!path.ok) return conclude('path', { pass: '', missing: [path.reason] });
  const { problems } = path.value;
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
