import { dropDatabase } from '../../engine/cli/stack/database.ts';
import type { Pool } from '../../engine/db/connection.ts';
import type { SaleHistory } from '../data/sale-history.ts';
import { indexHistory } from '../data/settle-database.ts';
import { interleaved, rates, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { copyRowsBack, type ExportedRows, exportRows } from './ceiling.ts';
import { type Settled, settleCopy } from './settle-run.ts';

type Shape = Pick<SaleHistory, 'campaigns' | 'depth' | 'life'>;

/** Depths over ten campaigns, spreads at depth five; and sales that come to their end. */
const SHAPES: readonly Shape[] = [
  { campaigns: 10, depth: 1, life: 'recorded' },
  { campaigns: 10, depth: 5, life: 'recorded' },
  { campaigns: 10, depth: 20, life: 'recorded' },
  { campaigns: 1, depth: 5, life: 'recorded' },
  { campaigns: 1_000, depth: 5, life: 'recorded' },
  { campaigns: 10, depth: 5, life: 'finalized' },
];

/** Shares of the ceiling to reach at depth five, by the number of campaigns. */
const MIN_SHARES: ReadonlyMap<number, number> = new Map([
  [10, 0.5],
  [1, 0.45],
]);
const MAX_GROWTH = 1.25;
/** Maximum costs of a sale at depth five in ten campaigns, in bytes, and of the worker in MiB: they depend on no machine. */
const MAX_COSTS = { log: 6_000, disk: 5_000, peak: 300 };
/** Sales of the smaller history that memory is compared with, as a share: it must still fill batches. */
const SMALLER = 0.25;

export const settleSuite: Suite = {
  name: 'settle',
  about: 'sales that are indexed already, until the last one is in the ledger',
  run: async (bench) => {
    const sales = bench.quick ? 5_000 : 100_000;
    const results: Result[] = [];
    for (const shape of SHAPES) {
      // A finalized sale is seven events and not one.
      const many = shape.life === 'recorded' ? sales : sales / 5;
      results.push(...(await settleShape(bench, { ...shape, sales: many })));
    }
    results.push(await memoryAgainstLess(bench, sales));
    return results;
  },
};

async function settleShape(bench: Bench, history: SaleHistory): Promise<Result[]> {
  const { postgresUrl: server, rounds, log } = bench;
  const workload = nameOf(history);
  const indexed = await indexHistory(server, 'bench_settle', history);
  const runs: Settled[] = [];
  let exported: ExportedRows | undefined;
  const keep = async (pool: Pool) => {
    exported ??= await exportRows(pool);
  };
  try {
    const samples = await interleaved(rounds, {
      ours: async () => {
        const run = await settleCopy(server, indexed, { inspect: keep });
        runs.push(run);
        log(
          `${workload}: ${Math.round(run.ms)} ms, ${Math.round(workerCpu(run))} ms of them in the worker`,
        );
        return run;
      },
      ceiling: async () => {
        if (exported === undefined) throw new Error('the first round exports the rows');
        return await copyRowsBack(server, indexed, exported);
      },
    });
    const ours = rates(samples.ours, history.sales);
    const ceiling = rates(samples.ceiling, history.sales);
    const ratio = ratioOf('sales/s', ours, ceiling);
    const speed: Result = {
      workload,
      unit: 'sales/s',
      ours,
      ceiling: { name: 'COPY of the same rows', figure: ceiling },
      ratio,
      aim: aimOf(history, ratio),
      checksum: samples.ours[0]?.checksum ?? null,
    };
    return [speed, ...costsOf(workload, history, runs)];
  } finally {
    await exported?.remove();
    await dropDatabase(server, indexed.name);
  }
}

function aimOf({ campaigns, depth, life }: SaleHistory, ratio: number): Result['aim'] {
  const share = depth === 5 && life === 'recorded' ? MIN_SHARES.get(campaigns) : undefined;
  return share === undefined ? null : { text: `≥ ${share}`, met: ratio >= share };
}

function workerCpu({ usage }: Settled): number {
  return usage.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

/** Costs of a sale in each run, and the most memory that the worker held. */
function costsOf(workload: string, history: SaleHistory, runs: readonly Settled[]): Result[] {
  const { sales, campaigns, depth, life } = history;
  const hasAim = campaigns === 10 && depth === 5 && life === 'recorded';
  const line = (
    what: string,
    unit: Result['unit'],
    of: (run: Settled) => number,
    max?: number,
  ): Result => {
    const ours = spreadOf(runs.map(of));
    const aim = hasAim && max !== undefined ? { text: `≤ ${max}`, met: ours.median <= max } : null;
    const checksum = runs[0]?.checksum ?? null;
    return {
      workload: `${workload}: ${what}`,
      unit,
      ours,
      ceiling: null,
      ratio: null,
      aim,
      checksum,
    };
  };
  const aSale = (of: (run: Settled) => number) => (run: Settled) => of(run) / sales;
  const workerUs = aSale((run) => workerCpu(run) * 1_000);
  const lines = [
    line('CPU of the worker for a sale', 'µs', workerUs),
    line(
      'log for a sale',
      'bytes',
      aSale(({ server }) => server.logBytes),
      MAX_COSTS.log,
    ),
    line(
      'rows of a sale',
      'bytes',
      aSale(({ disk }) => disk.rows),
    ),
    line(
      'indexes of a sale',
      'bytes',
      aSale(({ disk }) => disk.indexes),
    ),
    line(
      'facts of a sale',
      'bytes',
      aSale(({ disk }) => disk.facts),
    ),
    line(
      'disk for a sale, in all',
      'bytes',
      aSale(({ disk }) => disk.rows + disk.indexes + disk.facts),
      MAX_COSTS.disk,
    ),
    line('memory of the worker', 'MiB', peakMiB, MAX_COSTS.peak),
  ];
  if (runs.some(({ server }) => server.cpuMs === null)) return lines;
  const serverUs = aSale(({ server }) => Number(server.cpuMs) * 1_000);
  return [
    line('CPU of PostgreSQL for a sale', 'µs', serverUs),
    line('CPU for a sale, both', 'µs', (run) => workerUs(run) + serverUs(run)),
    ...lines,
  ];
}

function peakMiB({ usage }: Settled): number {
  return Math.max(...usage.map((one) => one.peakMiB));
}

/** The most memory that a worker held, against one that settled a part of the sales. */
async function memoryAgainstLess(bench: Bench, sales: number): Promise<Result> {
  const whole = await peakOf(bench, sales);
  const part = await peakOf(bench, sales * SMALLER);
  const ratio = part.peak.median / whole.peak.median;
  return {
    workload: `memory of the worker, ${sales.toLocaleString('en')} sales`,
    unit: 'MiB',
    ours: whole.peak,
    ceiling: { name: `${sales * SMALLER} sales`, figure: part.peak },
    ratio,
    aim: { text: `≤ ${MAX_GROWTH} times as much`, met: ratio >= 1 / MAX_GROWTH },
    checksum: whole.checksum,
  };
}

async function peakOf({ postgresUrl: server, rounds }: Bench, sales: number) {
  const history: SaleHistory = { sales, campaigns: 10, depth: 5, life: 'recorded' };
  const indexed = await indexHistory(server, 'bench_settle', history);
  try {
    const runs: Settled[] = [];
    for (let round = 0; round < rounds; round += 1) runs.push(await settleCopy(server, indexed));
    return { peak: spreadOf(runs.map(peakMiB)), checksum: runs[0]?.checksum ?? null };
  } finally {
    await dropDatabase(server, indexed.name);
  }
}

function nameOf({ sales, campaigns, depth, life }: SaleHistory): string {
  const spread = campaigns === 1 ? '1 campaign' : `${campaigns.toLocaleString('en')} campaigns`;
  const end = life === 'finalized' ? ', each finalized' : '';
  return `${sales.toLocaleString('en')} sales${end}, depth ${depth}, ${spread}`;
}
