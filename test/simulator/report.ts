import Table from 'cli-table3';
import type { CallCount } from './chain/history.ts';
import type { FaultName } from './faults/index.ts';
import type { Outcome, Round } from './simulation.ts';

/** A round in a line. */
export function lineOf({
  step,
  blockNumber,
  fault,
  report,
  settledMs,
  events,
  sales,
}: Round): string {
  const place = `step ${String(step).padStart(4)}  block ${String(blockNumber).padStart(4)}`;
  const sums = `settled in ${(settledMs / 1_000).toFixed(1)} s: ${events} events, ${sales} sales`;
  return `${place}  ${fault.padEnd(15)} ${report}; ${sums}`;
}

/** Totals of several simulations. */
export class Totals {
  seeds = 0;
  steps = 0;
  events = 0;
  sales = 0;
  reads = 0;
  readonly faults = new Map<FaultName, { times: number; slowestMs: number }>();
  readonly calls = new Map<string, CallCount>();

  add({ steps, rounds, calls, reads }: Outcome): void {
    this.seeds += 1;
    this.steps += steps;
    this.reads += reads.read;
    this.events += rounds.at(-1)?.events ?? 0;
    this.sales += rounds.at(-1)?.sales ?? 0;
    for (const { fault, settledMs } of rounds) {
      const { times, slowestMs } = this.faults.get(fault) ?? { times: 0, slowestMs: 0 };
      const slowest = Math.max(slowestMs, settledMs);
      this.faults.set(fault, { times: times + 1, slowestMs: slowest });
    }
    for (const [name, { taken, refused, invalid }] of calls) {
      const sum = this.calls.get(name) ?? { taken: 0, refused: 0, invalid: 0 };
      this.calls.set(name, {
        taken: sum.taken + taken,
        refused: sum.refused + refused,
        invalid: sum.invalid + invalid,
      });
    }
  }

  toJson() {
    const { seeds, steps, events, sales, reads } = this;
    const faults = Object.fromEntries(this.faults);
    return { seeds, steps, events, sales, reads, faults, calls: Object.fromEntries(this.calls) };
  }
}

/** Table style without colours, because output may go to a file. */
const PLAIN = { head: [], border: [], compact: true };

/** The totals as two tables. */
export function tableOf(totals: Totals): string {
  const faults = new Table({ style: PLAIN, head: ['fault', 'times', 'settled after, at most'] });
  for (const [name, { times, slowestMs }] of [...totals.faults].sort()) {
    faults.push([name, times, `${(slowestMs / 1_000).toFixed(1)} s`]);
  }
  const calls = new Table({
    style: PLAIN,
    head: ['function', 'taken', 'refused', 'invalid, refused'],
  });
  for (const [name, { taken, refused, invalid }] of [...totals.calls].sort()) {
    calls.push([name, taken, refused, invalid]);
  }
  const { seeds, steps, events, sales, reads } = totals;
  const rounds = [...totals.faults.values()].reduce((sum, { times }) => sum + times, 0);
  return [
    faults.toString(),
    calls.toString(),
    `${seeds} seeds, ${steps} steps, ${rounds} faults, ${events} events, ${sales} sales; ${reads} receipts read meanwhile.`,
    'After each: audit clean, no discrepancy, every digest that of an undisturbed run.',
  ].join('\n');
}

/** Text of a failure, with the command that repeats it. */
export function failureOf(
  { seed, failure, dir }: Outcome,
  options: {
    steps: number;
    workers: number;
    only: readonly FaultName[] | undefined;
    redis?: boolean;
  },
) {
  const command = [
    `npm run simulate -- --seed ${seed} --steps ${options.steps} --workers ${options.workers}`,
    ...(options.only === undefined ? [] : [`--only ${options.only.join(',')}`]),
    ...(options.redis === true ? ['--redis'] : []),
  ].join(' ');
  const { step, fault, message } = failure ?? { step: 0, fault: 'none', message: 'nothing' };
  const text = [
    `seed ${seed}, step ${step}, after the fault ${fault}:`,
    `  ${message}`,
    `  again: ${command}`,
    `  logs:  ${dir}/logs`,
  ].join('\n');
  return { seed, step, fault, message, command, dir, text };
}
