import { dropDatabase } from '../../engine/cli/stack/database.ts';
import { redisAvailable, startTestRedis } from '../../test/support/redis.ts';
import type { SaleHistory } from '../data/sale-history.ts';
import { type Indexed, indexHistory } from '../data/settle-database.ts';
import { interleaved, rates, spreadOf } from '../harness/measure.ts';
import { type Bench, type Result, ratioOf, type Suite } from '../harness/suite.ts';
import { type Settled, settleCopy } from '../settle/settle-run.ts';

const WORKERS = [1, 2, 4] as const;

/** Below it a second worker would have cost and not helped; runs differ by a few hundredths. */
const NO_FALL = 0.95;

/** Where the queue is. */
interface Queue {
  readonly name: 'PostgreSQL' | 'Redis';
  readonly redisUrl: string | undefined;
}

export const scaleOutSuite: Suite = {
  name: 'scale-out',
  about: 'the same sales by one, two and four worker processes, by queue',
  run: async (bench) => {
    const sales = bench.quick ? 5_000 : 30_000;
    const history: SaleHistory = { sales, campaigns: 10, depth: 5, life: 'recorded' };
    const redis = redisAvailable ? await startTestRedis() : undefined;
    if (redis === undefined) bench.log('no Redis here: its lines are left out');
    const indexed = await indexHistory(bench.postgresUrl, 'bench_scale_out', history);
    try {
      const onPostgres = await measure(bench, indexed, { name: 'PostgreSQL', redisUrl: undefined });
      if (redis === undefined) return onPostgres;
      const onRedis = await measure(bench, indexed, { name: 'Redis', redisUrl: redis.url });
      if (onRedis[0]?.checksum !== onPostgres[0]?.checksum) {
        throw new Error('the ledgers differ by queue');
      }
      return [...onPostgres, ...onRedis];
    } finally {
      await dropDatabase(bench.postgresUrl, indexed.name);
      await redis?.stop();
    }
  },
};

async function measure(
  { postgresUrl, rounds, log }: Bench,
  indexed: Indexed,
  { name, redisUrl }: Queue,
): Promise<readonly Result[]> {
  const runs = new Map<number, Settled[]>(WORKERS.map((workers) => [workers, []]));
  const run = (workers: (typeof WORKERS)[number]) => async () => {
    const settled = await settleCopy(postgresUrl, indexed, { workers, redisUrl });
    runs.get(workers)?.push(settled);
    log(`${name}, ${workers} workers: ${Math.round(settled.ms)} ms; ${describeWaits(settled)}`);
    return settled;
  };
  const samples = await interleaved(rounds, { one: run(1), two: run(2), four: run(4) });
  const { sales } = indexed.history;
  const one = rates(samples.one, sales);
  const checksums = new Set([...runs.values()].flat().map(({ checksum }) => checksum));
  if (checksums.size !== 1) throw new Error('the ledgers differ by the number of workers');
  return WORKERS.flatMap((workers): Result[] => {
    const settled = runs.get(workers) ?? [];
    const ours = rates(settled, sales);
    const ratio = ratioOf('sales/s', ours, one);
    const workload = `${workers} ${workers === 1 ? 'worker' : 'workers'}, queue on ${name}`;
    const checksum = settled[0]?.checksum ?? null;
    return [
      {
        workload,
        unit: 'sales/s',
        ours,
        ceiling: workers === 1 ? null : { name: 'one worker', figure: one },
        ratio: workers === 1 ? null : ratio,
        aim: workers === 1 ? null : { text: 'no fall (≥ 0.95)', met: ratio >= NO_FALL },
        checksum,
      },
      {
        workload: `${workload}: waiting for locks`,
        unit: 'sessions',
        ours: spreadOf(settled.map(({ waits }) => waits.locks)),
        ceiling: {
          name: 'sessions at work',
          figure: spreadOf(settled.map(({ waits }) => waits.running)),
        },
        ratio: null,
        aim: null,
        checksum: null,
      },
    ];
  });
}

function describeWaits({ waits }: Settled): string {
  const on = [...waits.lockedOn].map(([event, sessions]) => `${event} ${sessions.toFixed(2)}`);
  return [
    `sessions at work ${waits.running.toFixed(2)}`,
    `waiting for locks ${waits.locks.toFixed(2)}${on.length > 0 ? ` (${on.join(', ')})` : ''}`,
    `for latches ${waits.latches.toFixed(2)}`,
    `for the disk ${waits.disk.toFixed(2)}`,
  ].join(', ');
}
