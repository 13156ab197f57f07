import type { ReceiptVerdict } from '../verify/index.ts';
import { exitCodes } from './exit-codes.ts';
import { style } from './output.ts';

/** Text of each verdict for a terminal, padded to the same width. */
export const verdictMarks: Readonly<Record<ReceiptVerdict, string>> = {
  pass: style.green('pass       '),
  fail: style.red('FAIL       '),
  unavailable: style.yellow('unavailable'),
  outdated: style.yellow('OUTDATED   '),
};

const codeNames = {
  pass: 'ok',
  fail: 'failed',
  unavailable: 'unavailable',
  outdated: 'outdated',
} as const satisfies Record<ReceiptVerdict, keyof typeof exitCodes>;

/** Exit code of a verification: 0 if all checks pass, 1 if one fails, 3 if one could not be made, 6 if the receipt is old. */
export function exitCodeOf({ verdict }: { readonly verdict: ReceiptVerdict }): number {
  return exitCodes[codeNames[verdict]];
}
