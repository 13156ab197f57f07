import pc from 'picocolors';
import type { Verdict } from '../verify/index.ts';
import { exitCodes } from './exit-codes.ts';

/** Text of each verdict for a terminal, padded to the same width. */
export const verdictMarks: Readonly<Record<Verdict, string>> = {
  pass: pc.green('pass       '),
  fail: pc.red('FAIL       '),
  unavailable: pc.yellow('unavailable'),
};

/** Exit code of a verification: 0 if all checks pass, 1 if one fails, 3 if one could not be made. */
export function exitCodeOf({ verdict }: { readonly verdict: Verdict }): number {
  if (verdict === 'pass') return exitCodes.ok;
  return verdict === 'fail' ? exitCodes.failed : exitCodes.unavailable;
}
