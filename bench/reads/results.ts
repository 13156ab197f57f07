import { spreadOf } from '../harness/measure.ts';
import { type Result, ratioOf } from '../harness/suite.ts';
import type { Aim, ReadCase } from './cases.ts';
import type { Loaded } from './load.ts';
import type { LoadedCpu } from './load-cpu.ts';

/** The line of a case that the server gives up. */
export function unanswered({ name, aim }: ReadCase): Result {
  return {
    workload: `${name}: not answered`,
    unit: 'requests/s',
    ours: spreadOf([0]),
    ceiling: null,
    ratio: null,
    aim: timeAim(aim, Number.POSITIVE_INFINITY),
    checksum: null,
  };
}

/** All that was measured of a case. */
export interface Measured {
  readonly loads: readonly Loaded[];
  readonly bare: readonly Loaded[];
  readonly inSql: number | null;
  readonly checksum: string;
}

/** The lines of a case: its rate, the rate of PostgreSQL alone, and its 99th percentile. */
export function resultsOf(
  { name, aim }: ReadCase,
  { loads, bare, inSql, checksum }: Measured,
): Result[] {
  const ours = spreadOf(loads.map(({ perSecond }) => perSecond));
  const slowest = spreadOf(loads.map(({ p99 }) => p99));
  const isPoint = aim !== null && 'ofBare' in aim;
  const ceiling =
    isPoint && bare.length > 0
      ? { name: 'Hono and one look-up', figure: spreadOf(bare.map(({ perSecond }) => perSecond)) }
      : null;
  const ratio = ceiling && ratioOf('requests/s', ours, ceiling.figure);
  const rate: Result = {
    workload: name,
    unit: 'requests/s',
    ours,
    ceiling,
    ratio,
    aim: ratio === null || !isPoint ? null : rateAim(aim.ofBare, ratio),
    checksum,
  };
  const sql: Result[] =
    inSql === null
      ? []
      : [withCeiling(rate, { name: 'the same SQL in pgbench', figure: spreadOf([inSql]) })];
  const time: Result = {
    ...rate,
    workload: `${name}, p99`,
    unit: 'ms',
    ours: slowest,
    ceiling: null,
    ratio: null,
    aim: null,
  };
  return [rate, ...sql, time];
}

/**
 * The lines of a case's processor time per request: of Node and PostgreSQL together, and of each. Goals are compared
 * with the least of the rounds, which other work on the machine changes least.
 */
export function cpuResults(
  { name, cpu }: ReadCase,
  loads: readonly LoadedCpu[],
  bare: readonly LoadedCpu[],
  checksum: string,
): Result[] {
  const parts = {
    'CPU of Node and PostgreSQL': sumOf,
    'CPU of Node': ({ nodeMs }: LoadedCpu) => nodeMs,
    'CPU of PostgreSQL': ({ postgresMs }: LoadedCpu) => postgresMs,
  };
  return Object.entries(parts).flatMap(([part, msOf]): Result[] => {
    const found = [loads, bare].map((each) => each.map(msOf).filter((ms) => ms !== null));
    const [mine = [], theirs = []] = found;
    // Without `/proc` there is no processor time.
    if (mine.length === 0 || theirs.length === 0) return [];
    const [ours, figure] = [spreadOf(mine), spreadOf(theirs)];
    return [
      {
        workload: `${name}, ${part}`,
        unit: 'ms',
        ours,
        ceiling: { name: 'Hono and one look-up', figure },
        ratio: ratioOf('ms', ours, figure),
        aim: msOf === sumOf ? cpuAim(cpu, ours.least, figure.least) : null,
        checksum,
      },
    ];
  });
}

function sumOf({ nodeMs, postgresMs }: LoadedCpu): number | null {
  return nodeMs === null || postgresMs === null ? null : nodeMs + postgresMs;
}

function cpuAim(cpu: ReadCase['cpu'], ours: number, bare: number): Result['aim'] {
  if (cpu === undefined) return null;
  if ('ms' in cpu) return { text: `≤ ${cpu.ms} ms`, met: ours <= cpu.ms };
  return { text: `≤ ${cpu.timesBare} × the bare look-up`, met: ours <= cpu.timesBare * bare };
}

/** The line of a case under a load at a fixed rate, half of what its server bears. */
export function resultAtRate(
  { name, aim }: ReadCase,
  perSecond: number,
  { p99, refused }: Loaded,
  checksum: string,
): Result {
  return {
    workload: `${name}, p99 at ${perSecond} requests/s, half of its capacity`,
    unit: 'ms',
    ours: spreadOf([p99]),
    ceiling: null,
    ratio: null,
    aim: timeAim(aim, refused === 0 ? p99 : Number.POSITIVE_INFINITY),
    checksum,
  };
}

/** The line of a case that one user requests, one response after the other. */
export function resultAlone({ name, alone }: ReadCase, { p50 }: Loaded, checksum: string): Result {
  return {
    workload: `${name}, one user alone, p50`,
    unit: 'ms',
    ours: spreadOf([p50]),
    ceiling: null,
    ratio: null,
    aim: alone === null ? null : { text: `≤ ${alone} ms`, met: p50 <= alone },
    checksum,
  };
}

/** 99th percentile of the bare look-ups, to compare those of lists with. */
export function bareTime(found: readonly Loaded[]): Result[] {
  if (found.length === 0) return [];
  return [
    {
      workload: 'Hono and one look-up, p99',
      unit: 'ms',
      ours: spreadOf(found.map(({ p99 }) => p99)),
      ceiling: null,
      ratio: null,
      aim: null,
      checksum: null,
    },
  ];
}

function withCeiling(rate: Result, ceiling: NonNullable<Result['ceiling']>): Result {
  const workload = `${rate.workload}, compared with PostgreSQL alone`;
  return {
    ...rate,
    workload,
    ceiling,
    ratio: ratioOf(rate.unit, rate.ours, ceiling.figure),
    aim: null,
  };
}

function rateAim(least: number, ratio: number): Result['aim'] {
  return { text: `≥ ${least} of the bare look-up`, met: ratio >= least };
}

function timeAim(aim: Aim, p99: number): Result['aim'] {
  if (aim === null || !('p99' in aim)) return null;
  return { text: `p99 ≤ ${aim.p99} ms`, met: p99 <= aim.p99 };
}

/** A case in a line. */
export function describe(loads: readonly Loaded[]): string {
  return loads.map(describeOne).join('; ');
}

function describeOne(loaded: Loaded): string {
  const { perSecond, p99, refused } = loaded;
  const rate = perSecond < 10 ? perSecond.toFixed(1) : Math.round(perSecond);
  return `${rate}/s, p99 ${p99} ms${refused > 0 ? `, ${refused} given up (503)` : ''}`;
}
