import type { Spread } from './measure.ts';

/** Environment of a suite. */
export interface Bench {
  /** A PostgreSQL of the run's own: databases are made and dropped in it. */
  readonly postgresUrl: string;
  /** Interleaved runs of each case. */
  readonly rounds: number;
  /** Smaller data, fewer rounds: to see that it works, never to quote. */
  readonly quick: boolean;
  /** Reports progress. */
  readonly log: (text: string) => void;
}

/** One line of the table: a workload, held against its ceiling of the same run. */
export interface Result {
  readonly workload: string;
  readonly unit:
    | 'events/s'
    | 'sales/s'
    | 'requests/s'
    | 'deliveries/s'
    | 'ms'
    | 'µs'
    | 'cores'
    | 'MiB'
    | 'KiB'
    | 'bytes'
    | 'MB'
    | 'calls'
    | 'HTTP requests'
    | 'round trips'
    | 'sessions'
    | 'processes';
  readonly ours: Spread;
  /** The most that the same machine can do, and its name; `null` for a goal without a ceiling. */
  readonly ceiling: { readonly name: string; readonly figure: Spread } | null;
  /** Ours to the ceiling, where both are rates; ceiling to ours, where both are times. */
  readonly ratio: number | null;
  /** In words, as bench/performance.md has it; `null` for a line without a goal. */
  readonly aim: { readonly text: string; readonly met: boolean } | null;
  /** Checksum of the result that was timed. */
  readonly checksum: string | null;
}

/** Workloads that share their data. */
export interface Suite {
  readonly name: string;
  /** One line: what is measured. */
  readonly about: string;
  readonly run: (bench: Bench) => Promise<readonly Result[]>;
}

/** Ours to the ceiling; more than one is as fast as the ceiling. */
export function ratioOf(unit: Result['unit'], ours: Spread, ceiling: Spread): number {
  return unit.endsWith('/s') ? ours.median / ceiling.median : ceiling.median / ours.median;
}
