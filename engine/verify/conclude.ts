import type { Difference } from './compare.ts';
import type { Check, Evidence } from './types.ts';

/** What a check found out. */
export interface Finding {
  /** The sentence of a check that passes. */
  readonly pass: string;
  /** What the chain itself has wrong, as sentences. */
  readonly problems?: readonly string[];
  /** What is served otherwise than the chain has it. */
  readonly differences?: readonly Difference[];
  /** What could not be read, as sentences. */
  readonly missing?: readonly string[];
  readonly evidence?: Evidence;
}

/** Most faults that a message names; the evidence has all of them. */
const NAMED = 3;

/** A finding's check: a fault outweighs what is missing, and what is missing is never a pass. */
export function conclude<const N extends string>(name: N, finding: Finding): Check<N> {
  const { pass, problems = [], differences = [], missing = [], evidence = {} } = finding;
  const faults = [...problems, ...differences.map(sentence)];
  const all = {
    ...evidence,
    ...(problems.length > 0 && { problems }),
    ...(differences.length > 0 && { differences }),
    ...(missing.length > 0 && { missing }),
  };
  if (faults.length > 0) {
    const more = faults.length > NAMED ? ` And ${faults.length - NAMED} more.` : '';
    const message = faults.slice(0, NAMED).join(' ') + more;
    return { name, status: 'fail', message, evidence: all };
  }
  if (missing.length > 0) {
    return { name, status: 'unavailable', message: unique(missing).join(' '), evidence: all };
  }
  return { name, status: 'pass', message: pass, evidence: all };
}

function sentence({ field, chain, served }: Difference): string {
  return `The receipt has ${field} ${served}, the chain has ${chain}.`;
}

function unique(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
}

/** «1 level», «2 levels». */
export function count(n: number, noun: string): string {
  return `${n} ${noun}${n === 1 ? '' : 's'}`;
}
