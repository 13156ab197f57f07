import { availableParallelism, cpus, totalmem } from 'node:os';
import Table from 'cli-table3';
import type { Result } from './suite.ts';

/** Results of a suite, as they are printed and stored. */
export interface SuiteResults {
  readonly suite: string;
  readonly seconds: number;
  readonly results: readonly Result[];
  /** Why it has none. */
  readonly failure?: string;
}

/** The one table of a run. */
export function tableOf(suites: readonly SuiteResults[]): string {
  const table = new Table({
    head: ['workload', 'ours (least – most)', 'ceiling (least – most)', 'ratio', 'aim', ''],
    style: { head: [], border: [] },
  });
  for (const { suite, results, failure } of suites) {
    const content = failure === undefined ? suite : `${suite} FAILED: ${failure}`;
    table.push([{ colSpan: 6, content }]);
    for (const one of results) {
      table.push([
        one.workload,
        `${figure(one.ours.median)} ${one.unit} (${figure(one.ours.least)} – ${figure(one.ours.most)})`,
        one.ceiling === null
          ? ''
          : `${figure(one.ceiling.figure.median)} (${figure(one.ceiling.figure.least)} – ${figure(one.ceiling.figure.most)}) ${one.ceiling.name}`,
        one.ratio === null ? '' : one.ratio.toFixed(2),
        one.aim?.text ?? '',
        one.aim === null ? '' : one.aim.met ? 'met' : 'MISSED',
      ]);
    }
  }
  return table.toString();
}

/** Content of `bench/results.json`: the results, and the machine that they were measured on. */
export function reportOf(suites: readonly SuiteResults[], startedAt: Date, quick: boolean) {
  return {
    startedAt: startedAt.toISOString(),
    quick,
    machine: {
      cores: availableParallelism(),
      cpu: cpus()[0]?.model ?? 'unknown',
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      node: process.versions.node,
    },
    suites,
  };
}

function figure(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}
