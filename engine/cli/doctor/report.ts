import { countOf } from '../../core/count-of.ts';
import { exitCodes } from '../exit-codes.ts';
import { out, style } from '../output.ts';
import type { Ability, AbilityName, AbilityStatus } from './ability.ts';
import type { Examination, Examined } from './examine.ts';

/**
 * Exit code of an examination: 1 if something is missing that Tributary needs, 3 if it is not known of something that
 * Tributary needs.
 */
export function exitCodeOf({ rpcs, together }: Examination): number {
  const all = [...rpcs.flatMap(({ abilities }) => abilities), ...together];
  if (all.some(({ status }) => status === 'missing')) return exitCodes.failed;
  const isUnknown = all.some(({ status, isNeeded }) => status === 'unknown' && isNeeded);
  return isUnknown ? exitCodes.unavailable : exitCodes.ok;
}

const MARKS: Readonly<Record<AbilityStatus, string>> = {
  ok: style.green('ok       '),
  lack: style.yellow('lack     '),
  missing: style.red('missing  '),
  unknown: style.yellow('not known'),
};

/** Names of abilities for people. */
export const titles: Readonly<Record<AbilityName, string>> = {
  answers: 'answers',
  chain: 'chain',
  history: 'history',
  head: 'newest block',
  finality: 'finality',
  batches: 'batches',
  logs: 'logs',
  'block-logs': 'logs of a block',
  receipts: 'receipts',
  blooms: 'blooms',
  bundles: 'bundles',
  state: 'state',
  proofs: 'eth_getProof',
  websocket: 'WebSocket',
  rate: 'rate',
  agreement: 'agreement',
};

const TITLE_WIDTH = 15;
const INDENT = ' '.repeat(2 + 9 + 2 + TITLE_WIDTH + 2);

/** Prints what was found: one line for each ability, and below it what a lack costs. */
export function printExamination(examination: Examination): void {
  for (const rpc of examination.rpcs) {
    out.print(titleOf(rpc), '', ...rpc.abilities.flatMap(linesOf), '');
  }
  const { together } = examination;
  if (together.length > 0) out.print('All RPCs', '', ...together.flatMap(linesOf), '');
  out.print(verdictOf(examination));
}

function titleOf({ place, host, calls, rateLimited, seconds }: Examined): string {
  const refused = rateLimited === 0 ? '' : `, ${rateLimited} refused for their rate`;
  return `${style.bold(`RPC ${place}, ${host}`)}: ${countOf(calls, 'call')}${refused}, ${seconds} s`;
}

function linesOf({ name, status, found, cost, set = {} }: Ability): string[] {
  return [
    `  ${MARKS[status]}  ${style.bold(titles[name].padEnd(TITLE_WIDTH))}  ${found}`,
    ...(cost === undefined ? [] : [`${INDENT}${cost}`]),
    ...Object.entries(set).map(([variable, value]) => `${INDENT}${style.cyan(variable)}: ${value}`),
  ];
}

function verdictOf(examination: Examination): string {
  switch (exitCodeOf(examination)) {
    case exitCodes.ok:
      return style.green('All that Tributary needs is there.');
    case exitCodes.failed:
      return style.red('Something that Tributary needs is missing.');
    default:
      return style.yellow('Something that Tributary needs was not answered: try again.');
  }
}
