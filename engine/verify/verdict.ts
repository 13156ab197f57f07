import type { Check, Verdict } from './types.ts';

/** A failure outweighs what is missing. */
export function verdictOf(checks: readonly Pick<Check, 'status'>[]): Verdict {
  const statuses = checks.map(({ status }) => status);
  if (statuses.includes('fail')) return 'fail';
  return statuses.includes('unavailable') ? 'unavailable' : 'pass';
}
