import { dropDatabase } from '../../engine/cli/stack/database.ts';
import type { Pool } from '../../engine/db/connection.ts';
import type { SaleHistory } from '../data/sale-history.ts';
import { indexHistory } from '../data/settle-database.ts';
import { interleaved, rates, type Spread, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { copyRowsBack, type ExportedRows, exportRows } from './ceiling.ts';
import { settleCopy } from './settle-run.ts';

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
/** Facts. */
const SHORT_BATCH = 250;

export const settleSuite: Suite = {
  name: 'settle',
  about: 'sales that are indexed already, until the last one is in the ledger',
  run: async (bench) => {
    const sales = bench.quick ? 5_000 : 100_000;
    const results: Result[] = [];
    for (const shape of SHAPES) {
      // A finalized sale is seven events and not one.
      const many = shape.life === 'recorded' ? sales : sales / 5;
      results.push(await settleShape(bench, { ...shape, sales: many }));
    }
    results.push(await memoryAgainstTenth(bench, sales));
    return results;
  },
};

async function settleShape(bench: Bench, history: SaleHistory): Promise<Result> {
  const { postgresUrl: server, rounds, log } = bench;
  const workload = nameOf(history);
  const indexed = await indexHistory(server, 'bench_settle', history);
  let exported: ExportedRows | undefined;
  const keep = async (pool: Pool) => {
    exported ??= await exportRows(pool);
  };
  try {
    const samples = await interleaved(rounds, {
      ours: async () => {
        const run = await settleCopy(server, indexed, { inspect: keep });
        const cpu = run.usage.reduce((total, { cpuMs }) => total + cpuMs, 0);
        log(`${workload}: ${Math.round(run.ms)} ms, ${Math.round(cpu)} ms of them in the worker`);
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
    return {
      workload,
      unit: 'sales/s',
      ours,
      ceiling: { name: 'COPY of the same rows', figure: ceiling },
      ratio,
      aim: aimOf(history, ratio),
      checksum: samples.ours[0]?.checksum ?? null,
    };
  } finally {
    await exported?.remove();
    await dropDatabase(server, indexed.name);
  }
}

function aimOf({ campaigns, depth, life }: SaleHistory, ratio: number): Result['aim'] {
  const share = depth === 5 && life === 'recorded' ? MIN_SHARES.get(campaigns) : undefined;
  return share === undefined ? null : { text: `≥ ${share}`, met: ratio >= share };
}

/**
 * The most memory that a worker held, against one that settled a tenth of the sales: both in batches
 * that even the tenth fills.
 */
async function memoryAgainstTenth(bench: Bench, sales: number): Promise<Result> {
  const whole = await peakOf(bench, sales);
  const tenth = await peakOf(bench, sales / 10);
  const ratio = tenth.peak.median / whole.peak.median;
  return {
    workload: `memory of the worker, ${sales.toLocaleString('en')} sales`,
    unit: 'MiB',
    ours: whole.peak,
    ceiling: { name: 'a tenth of the sales', figure: tenth.peak },
    ratio,
    aim: { text: `≤ ${MAX_GROWTH} times as much`, met: ratio >= 1 / MAX_GROWTH },
    checksum: whole.checksum,
  };
}

async function peakOf(
  { postgresUrl: server }: Bench,
  sales: number,
): Promise<{ peak: Spread; checksum: string }> {
  const history: SaleHistory = { sales, campaigns: 10, depth: 5, life: 'recorded' };
  const indexed = await indexHistory(server, 'bench_settle', history);
  try {
    const { usage, checksum } = await settleCopy(server, indexed, { batchSize: SHORT_BATCH });
    return { peak: spreadOf(usage.map(({ peakMiB }) => peakMiB)), checksum };
  } finally {
    await dropDatabase(server, indexed.name);
  }
}

function nameOf({ sales, campaigns, depth, life }: SaleHistory): string {
  const spread = campaigns === 1 ? '1 campaign' : `${campaigns.toLocaleString('en')} campaigns`;
  const end = life === 'finalized' ? ', each finalized' : '';
  return `${sales.toLocaleString('en')} sales${end}, depth ${depth}, ${spread}`;
}
