import { exitCodes } from '../exit-codes.ts';
import type { ClockSample, Finding } from './startup-check.ts';

/** Minutes of difference from which on a clock is reported: links, signatures and sessions would be refused. */
const MAX_MINUTES = 1;

/** Minutes of difference from which on a program does not run, if two other clocks agree. */
const MAX_MINUTES_OF_TWO = 10;

/**
 * Finds out if the clock of this machine is wrong. One other clock may be wrong itself, so that it takes two, which agree, to
 * refuse.
 */
export function clockFindings(samples: readonly ClockSample[]): readonly Finding[] {
  const off = samples.filter(({ aheadMs }) => Math.abs(aheadMs) > MAX_MINUTES * 60_000);
  const [one] = off;
  if (one === undefined) return [];
  const far = off.filter(({ aheadMs }) => Math.abs(aheadMs) > MAX_MINUTES_OF_TWO * 60_000);
  const agree = far.filter(({ aheadMs }) => Math.sign(aheadMs) === Math.sign(far[0]?.aheadMs ?? 0));
  const isCertain = agree.length >= 2 && agree.length === samples.length;
  const compared = off.map(({ source, aheadMs }) => `${differenceOf(aheadMs)} that of ${source}`);
  const sentence = `The clock of this machine is ${compared.join(' and ')}: set it, for example by NTP. Until then, signatures and links are refused, and times are wrong.`;
  return [isCertain ? { sentence, exitCode: exitCodes.failed } : { sentence }];
}

function differenceOf(aheadMs: number): string {
  const minutes = Math.round(Math.abs(aheadMs) / 60_000);
  const amount = minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
  return `${amount} ${aheadMs > 0 ? 'ahead of' : 'behind'}`;
}
