import Table from 'cli-table3';
import type { CallCount } from './chain.ts';
import type { VirtualFaultName } from './faults.ts';
import type { VirtualOutcome, VirtualRound } from './run.ts';

/** A round in a line. */
export function roundLine(
  seed: number,
  { step, blockNumber, fault, happened, ms }: VirtualRound,
): string {
  const place = `seed ${seed}  step ${String(step).padStart(6)}  block ${String(blockNumber).padStart(5)}`;
  return `${place}  ${fault.padEnd(16)} ${happened ? '' : '(did not happen) '}${ms} ms`;
}

/** Totals of several seeds. */
export class VirtualTotals {
  seeds = 0;
  steps = 0;
  events = 0;
  sales = 0;
  campaigns = 0;
  reads = 0;
  readonly faults = new Map<VirtualFaultName, number>();
  readonly calls = new Map<string, CallCount>();
  readonly #started = performance.now();

  constructor(readonly firstSeed: number) {}

  add(outcome: VirtualOutcome): void {
    this.seeds += 1;
    this.steps += outcome.steps;
    this.events += outcome.events;
    this.sales += outcome.sales;
    this.campaigns += outcome.campaigns;
    this.reads += outcome.reads;
    for (const { fault, happened } of outcome.rounds) {
      if (happened) this.faults.set(fault, (this.faults.get(fault) ?? 0) + 1);
    }
    for (const [name, { taken, refused }] of outcome.calls) {
      const sum = this.calls.get(name) ?? { taken: 0, refused: 0 };
      this.calls.set(name, { taken: sum.taken + taken, refused: sum.refused + refused });
    }
  }

  toJson() {
    const { firstSeed, seeds, steps, events, sales, campaigns, reads } = this;
    const seconds = Math.round((performance.now() - this.#started) / 1_000);
    const faults = Object.fromEntries([...this.faults].sort());
    const calls = Object.fromEntries([...this.calls].sort());
    const sums = { seeds, steps, events, sales, campaigns, reads, seconds };
    return { mode: 'virtual', firstSeed, ...sums, faults, calls };
  }

  /** The totals as two tables, without colours: what is printed may be stored in a file. */
  table(): string {
    const style = { head: [], border: [], compact: true };
    const faults = new Table({ style, head: ['fault', 'times'] });
    for (const [name, times] of [...this.faults].sort()) faults.push([name, times]);
    const calls = new Table({ style, head: ['function', 'taken', 'refused'] });
    for (const [name, { taken, refused }] of [...this.calls].sort()) {
      calls.push([name, taken, refused]);
    }
    const { seeds, steps, events, sales, seconds } = this.toJson();
    const rounds = [...this.faults.values()].reduce((sum, times) => sum + times, 0);
    return [
      faults.toString(),
      calls.toString(),
      `${seeds} seeds from ${this.firstSeed} on, ${steps} steps, ${rounds} faults, ${events} events, ${sales} sales; ${seconds} s.`,
      'After each: nothing stopped, no alarm, no discrepancy, every digest that of an undisturbed run.',
    ].join('\n');
  }
}

/** The options that a failure repeats. */
interface FailedCommand {
  readonly stepsPerSeed: number;
  readonly stepsPerFault: number;
  readonly only?: readonly VirtualFaultName[];
}

/** Text of a failure, with the command that repeats it. */
export function failureText(
  { seed, failure }: VirtualOutcome,
  { stepsPerSeed, stepsPerFault, only }: FailedCommand,
): string {
  const { step, fault, message } = failure ?? { step: 0, fault: 'none', message: 'nothing' };
  const mix = only === undefined ? '' : ` --only ${only.join(',')}`;
  const sizes = `--steps ${stepsPerSeed} --steps-per-seed ${stepsPerSeed} --steps-per-fault ${stepsPerFault}`;
  return [
    `seed ${seed}, step ${step}, after the fault ${fault}:`,
    `  ${message}`,
    `  again: npm run simulate -- --virtual --seed ${seed} ${sizes}${mix}`,
  ].join('\n');
}
