import pc from 'picocolors';
import type { Verdict } from '../verify/index.ts';
import { exitCodes } from './exit-codes.ts';

/** How a terminal shows each verdict, in columns of one width. */
export const verdictMarks: Readonly<Record<Verdict, string>> = {
  pass: pc.green('pass       '),
  fail: pc.red('FAIL       '),
  unavailable: pc.yellow('unavailable'),
};

/** 0 where every check passes, 1 where one fails, 3 where one could not be made. */
export function exitCodeOf({ verdict }: { readonly verdict: Verdict }): number {
  if (verdict === 'pass') return exitCodes.ok;
  return verdict === 'fail' ? exitCodes.failed : exitCodes.unavailable;
}
