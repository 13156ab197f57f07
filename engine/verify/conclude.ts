import type { FieldDifference } from './compare.ts';
import type { Check, Evidence, Verdict } from './types.ts';

/** Result of comparing a check's fields of the receipt with the chain. */
export type FoundFields = Pick<CheckFinding, 'differences' | 'unread'>;

/** Findings of a check, from which `conclude` makes its result. */
export interface CheckFinding {
  /** The sentence of a check that passes. */
  readonly pass: string;
  /** Violations of the protocol on the chain, as sentences. */
  readonly problems?: readonly string[];
  /** Differences between the receipt and the chain. */
  readonly differences?: readonly FieldDifference[] | undefined;
  /** Fields of the receipt whose value on the chain is not known. */
  readonly unread?: readonly string[] | undefined;
  /** Reasons why something could not be read, as sentences. */
  readonly missing?: readonly string[];
  readonly evidence?: Evidence;
}

/** Largest number of failures that a message names; the evidence has all of them. */
const NAMED = 3;

/** The result of a check: `fail` if it found a problem, else `unavailable` if something is missing. */
export function conclude<const N extends string>(name: N, finding: CheckFinding): Check<N> {
  const { pass, problems = [], differences = [], unread = [], evidence = {} } = finding;
  // A check that knows why says it; without a reason the fields themselves are named.
  const missing = finding.missing?.length ? finding.missing : unreadReasons(unread);
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

function sentence({ field, chain, served }: FieldDifference): string {
  return `The receipt has ${field} ${served}, the chain has ${chain}.`;
}

function unique(sentences: readonly string[]): string[] {
  return [...new Set(sentences)];
}

function unreadReasons(fields: readonly string[]): string[] {
  if (fields.length === 0) return [];
  return [`The chain’s value of ${fields.join(', ')} is not known, so it was not compared.`];
}

/** The verdict of several checks: `fail` outweighs `unavailable`, and that outweighs `pass`. */
export function verdictOf(checks: readonly Pick<Check, 'status'>[]): Verdict {
  const statuses = checks.map(({ status }) => status);
  if (statuses.includes('fail')) return 'fail';
  return statuses.includes('unavailable') ? 'unavailable' : 'pass';
}
