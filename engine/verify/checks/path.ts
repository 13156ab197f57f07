import { differences } from '../compare.ts';
import { conclude, count } from '../conclude.ts';
import type { Subject } from '../subject.ts';
import type { Check } from '../types.ts';

/** Checks the path, from the selling node up to the last rewarded level, against the NodeJoined logs. */
export function checkPath({ path, served }: Subject): Check<'path'> {
  if (!path.ok) return conclude('path', { pass: '', missing: [path.reason] });
  const { problems } = path.value;
  const nodes = path.value.nodes.map((node) => ({ ...node }));
  const ids = nodes.map(({ nodeId }) => nodeId).join(' ← ');
  const whole = problems.length === 0;
  return conclude('path', {
    pass:
      nodes.length === 0
        ? 'The sale was direct: it has no path.'
        : `The path of ${count(nodes.length, 'rewarded level')}, ${ids}, is what the chain’s joins give.`,
    problems,
    differences: served && whole ? differences('path', nodes, served.path) : [],
    evidence: { path: nodes },
  });
}
