import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';

/** Clock and load that a limit is measured with; tests replace them. */
export interface Machine {
  /** How many times longer work takes than on a free machine; at least 1. */
  pace(): number;
  wait(ms: number): Promise<unknown>;
}

/** This machine. Windows reports no load, so its pace is always 1. */
const thisMachine: Machine = {
  pace: () => Math.max(1, (loadavg()[0] ?? 0) / availableParallelism()),
  wait: (ms) => setTimeout(ms),
};

/**
 * A limit on waiting without progress. Seconds of a busy machine count as less, by the number of processes that share a
 * processor, and a time in which this process did not run at all (a suspended machine) counts as one pause.
 */
export class Patience {
  readonly #limitMs: number;
  readonly #machine: Machine;
  #countedMs = 0;

  /** @param seconds seconds without progress on a free machine. */
  constructor(seconds: number, machine: Machine = thisMachine) {
    this.#limitMs = seconds * 1_000;
    this.#machine = machine;
  }

  /** True if there was no progress for too long. */
  get isOver(): boolean {
    return this.#countedMs >= this.#limitMs;
  }

  /** Starts again, because there was progress. */
  progressed(): void {
    this.#countedMs = 0;
  }

  /** Waits, and counts the time. */
  async pause(ms: number): Promise<void> {
    await this.#machine.wait(ms);
    this.#countedMs += ms / this.#machine.pace();
  }
}

/**
 * Processor time that a process has used, in the kernel's ticks: while it grows, the process does something.
 * @returns 0 if it is not known, as on systems other than Linux.
 */
export function processorTime(pid: number): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in brackets may contain anything; `utime` and `stime` are the 12th and 13th field after it.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
